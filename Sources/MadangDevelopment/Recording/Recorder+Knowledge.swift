import MadangCore

extension Recorder {
  /// What a server knows besides the answers that its clients got.
  struct Knowledge {
    var names = RecordedNames()
    /// When people joined channels, in milliseconds: by the channel's id, then by e-mail. Nil if no server is known.
    var joined: [String: [String: Int64]]?
    /// When people joined workspaces.
    var joinedWorkspaces: [String: [String: Int64]] = [:]
    var emails: Set<String> = []
  }
}

extension Recorder.Knowledge {
  /// The data of a server now. Ids are those of both editions.
  init(_ inventory: Inventory) {
    let emails = Dictionary(
      inventory.people.map { ($0.account.person.id.number, $0.account.person.email) },
      uniquingKeysWith: { first, _ in first })
    self.emails = Set(emails.values)
    for resident in inventory.people {
      let person = resident.account.person
      for id in person.id.texts { names.people[id] = person.email }
    }
    var joined: [String: [String: Int64]] = [:]
    func moments(_ members: [Inventory.Member]) -> [String: Int64] {
      Dictionary(
        members.compactMap { member in emails[member.person].map { ($0, member.joinedAt) } },
        uniquingKeysWith: { first, _ in first })
    }
    for entry in inventory.workspaces {
      let workspace = entry.workspace
      for id in workspace.id.texts {
        names.workspaces[id] = workspace.name
        joinedWorkspaces[id] = moments(entry.members)
      }
      for channel in entry.channels {
        for (id, workspace) in zip(channel.channel.id.texts, workspace.id.texts) {
          names.channels[id] = .init(
            workspace: workspace, name: channel.channel.name, isDefault: channel.channel.isDefault)
          joined[id] = moments(channel.members)
        }
      }
      for pair in entry.pairs {
        let people = [emails[pair.people.0], emails[pair.people.1]].compactMap(\.self)
        for (id, workspace) in zip(pair.extent.id.texts, workspace.id.texts) {
          names.learn(room: id, workspace, people)
        }
      }
    }
    self.joined = joined
  }
}

extension ObjectID {
  /// In the forms of both editions.
  fileprivate var texts: [String] { [uuid, String(number)] }
}
