import Storage

// Tests of clients refer to people and places by name.

extension Madang {
  /// The accounts that a name may mean: the one with this e-mail address, or else up to two with this name before the `@`.
  package func people(named name: String) async throws -> [Person] {
    let key = TextRules.emailKey(name)
    guard !key.hasNUL else { return [] }
    return try await database.read { transaction in
      if let person = try transaction.personByEmail(name) { return [person] }
      return try transaction.people(emailBeginsWith: key + "@", limit: 2)
    }
  }

  /// The workspace with this name, or with this id of either edition; nil if there is none.
  package func workspace(named name: String) async throws -> Workspace? {
    let name = TextRules.comparableName(name)
    guard !name.hasNUL else { return nil }
    return try await database.read { try $0.workspace(named: name) }
  }

  /// The channel with this name in a workspace; nil if there is none.
  package func channel(named name: String, in workspace: Int64) async throws -> Channel? {
    let name = TextRules.comparableName(name)
    guard !name.hasNUL else { return nil }
    return try await database.read { try $0.channel(named: name, in: workspace) }
  }

  /// The names of the oldest workspaces.
  package func workspaceNames(limit: Int) async throws -> [String] {
    try await database.read { try $0.workspaceNames(limit: limit) }
  }

  /// The names of a workspace's oldest channels.
  package func channelNames(in workspace: Int64, limit: Int) async throws -> [String] {
    try await database.read { try $0.channelNames(in: workspace, limit: limit) }
  }

  /// The oldest workspace that both belong to.
  package func workspace(sharedBy one: Int64, and other: Int64) async throws -> Workspace? {
    try await database.read { try $0.workspace(sharedBy: one, and: other) }
  }

  /// Whether a room holds the direct messages between two accounts.
  package func isDirectMessage(_ room: Int64, of one: Int64, and other: Int64) async throws -> Bool {
    try await database.read { try $0.isDirectMessage(room, of: one, and: other) }
  }

  /// Prepares files with these bytes for a post. The caller discards the uploads afterwards.
  package func stage(_ files: [[UInt8]]) async throws -> (files: [StagedFile], uploads: [Upload]) {
    var (staged, uploads) = ([StagedFile](), [Upload]())
    do {
      for bytes in files {
        let upload = try await self.files.receive(limit: settings.files.maxSize)
        uploads.append(upload)
        try await self.files.append(bytes, to: upload)
        guard let file = try await self.files.finish(upload) else { throw Failure(.invalid, "a file is empty") }
        staged.append(file)
      }
    } catch {
      await self.files.discard(uploads)
      throw error
    }
    return (staged, uploads)
  }
}

extension Madang {
  /// The account with this number; nil if there is none.
  package func person(_ number: Int64) async throws -> Person? {
    try await database.read { try $0.person(number) }
  }

  /// One page of accounts, ordered by number, each with the names of its workspaces, oldest first.
  package func peopleWithWorkspaces(after number: Int64, limit: Int) async throws -> [(
    person: Person, workspaces: [String]
  )] {
    try await database.read { transaction in
      let people = try transaction.people(after: number, limit: limit)
      guard let last = people.last?.id.number else { return [] }
      let names = try transaction.workspaceNames(ofPeopleAfter: number, through: last)
      return people.map { ($0, names[$0.id.number] ?? []) }
    }
  }
}
