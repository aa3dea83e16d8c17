import MadangAPI

/// The names of ids in the course of a session: from the last answer that showed one, else from the first that will, else from the server.
struct SessionNames {
  private var latest = RecordedNames()
  private var first = RecordedNames()
  private let server: RecordedNames
  /// The name of a workspace's default channel.
  private let defaultChannel: String

  init(_ server: RecordedNames, defaultChannel: String) {
    (self.server, self.defaultChannel) = (server, defaultChannel)
  }

  /// Notes the names of an answer that is still to come.
  mutating func lookAhead(_ json: JSONValue, workspace: String?, caller: String?) {
    first.learn(json, workspace: workspace, caller: caller, keepsFirst: true)
  }

  mutating func learn(_ json: JSONValue, workspace: String?, caller: String?) {
    latest.learn(json, workspace: workspace, caller: caller)
  }

  mutating func learn(room id: String, _ workspace: String?, _ people: [String]) {
    latest.learn(room: id, workspace, people)
  }

  private var inOrder: [RecordedNames] { [latest, first, server] }

  private func known<Name>(_ id: String, _ names: KeyPath<RecordedNames, [String: Name]>) -> Name? {
    latest[keyPath: names][id] ?? first[keyPath: names][id] ?? server[keyPath: names][id]
  }

  /// Nil also for a name that a place cannot have.
  func workspace(_ id: String?) -> String? {
    guard let id, let name = known(id, \.workspaces), !name.isEmpty, !name.contains("/") else { return nil }
    return name
  }

  func email(_ id: String) -> String? { known(id, \.people) }

  func channel(_ id: String) -> RecordedNames.Channel? { known(id, \.channels) }

  func room(_ id: String) -> RecordedNames.Room? {
    let known = inOrder.compactMap { $0.rooms[id] }
    return known.first { $0.people.count == 2 } ?? known.first
  }

  /// The id of the channel that a path names.
  func channelID(of exchange: RecordedExchange) -> String? {
    guard let given = exchange.match.parameters["channel"] else { return nil }
    guard exchange.edition == .january2024, let workspace = exchange.workspace else { return given }
    return inOrder.lazy.compactMap { $0.channel(named: given, in: workspace) }.first
      // The name is unique in its workspace.
      ?? "\(workspace)/\(given)"
  }

  /// The place of a channel in a script; nil if a name is unknown.
  func place(ofChannel id: String, in workspace: String?) -> String? {
    let channel = channel(id)
    guard let workspaceName = self.workspace(channel?.workspace ?? workspace),
      let name = channel?.name ?? id.split(separator: "/", maxSplits: 1).dropFirst().first.map(String.init)
    else { return nil }
    return channel?.isDefault ?? false || name == defaultChannel ? workspaceName : "\(workspaceName)/\(name)"
  }
}
