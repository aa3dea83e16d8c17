import Storage

// Tests of clients name people and places as people do.

extension Madang {
  /// The accounts that a name may mean: the one with this e-mail, else those with it before their `@`, two at most.
  package func people(named name: String) async throws -> [Person] {
    let key = TextRules.emailKey(name)
    guard !key.utf8.contains(0) else { return [] }
    return try await database.read { transaction in
      if let person = try transaction.personByEmail(name) { return [person] }
      return try transaction.all(
        """
        SELECT \(sql: Person.columns) FROM users u
        WHERE substr(u.email_key, 1, CAST(\(key.unicodeScalars.count + 1) AS INTEGER)) = \(key + "@") ORDER BY u.id LIMIT 2
        """, Person.init)
    }
  }

  /// The workspace of this name, or of this id of either edition; nil if there is none.
  package func workspace(named name: String) async throws -> Workspace? {
    let name = TextRules.comparableName(name)
    guard !name.utf8.contains(0) else { return nil }
    return try await database.read { transaction in
      try transaction.first(
        """
        SELECT \(sql: Workspace.columns) FROM workspaces w
        WHERE (w.name = \(name) OR w.uuid = \(name) OR w.id = \(Int64(name) ?? 0)) AND w.deleted_at IS NULL
        ORDER BY CASE WHEN w.name = \(name) THEN 0 ELSE 1 END LIMIT 1
        """, Workspace.init)
    }
  }

  /// The oldest workspace to which both belong.
  package func workspace(sharedBy one: Int64, and other: Int64) async throws -> Workspace? {
    try await database.read { transaction in
      try transaction.first(
        """
        SELECT \(sql: Workspace.columns) FROM workspaces w
        JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = \(one)
        JOIN workspace_members o ON o.workspace_id = w.id AND o.user_id = \(other)
        WHERE w.deleted_at IS NULL ORDER BY w.id LIMIT 1
        """, Workspace.init)
    }
  }

  /// Whether a room is the one of direct messages between two accounts.
  package func isDirectMessage(_ room: Int64, of one: Int64, and other: Int64) async throws -> Bool {
    try await database.read { transaction in
      try transaction.first(
        """
        SELECT 1 AS found FROM direct_messages
        WHERE room_id = \(room) AND low_user_id = \(min(one, other)) AND high_user_id = \(max(one, other))
        """
      ) { _ in true } ?? false
    }
  }

  /// Makes files of these bytes ready to be posted; whoever posts them discards the uploads afterwards.
  package func stage(_ files: [[UInt8]]) async throws -> (files: [StagedFile], uploads: [Upload]) {
    var (staged, uploads) = ([StagedFile](), [Upload]())
    do {
      for bytes in files {
        let upload = try await self.files.receive(limit: settings.maxFileSize)
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
  /// The account of this number; nil if there is none.
  package func person(_ number: Int64) async throws -> Person? {
    try await database.read { transaction in
      try transaction.first("SELECT \(sql: Person.columns) FROM users u WHERE u.id = \(number)", Person.init)
    }
  }

  /// Accounts by their numbers, those after one, at most so many; each with the names of its workspaces, oldest first.
  package func peopleWithWorkspaces(after number: Int64, limit: Int) async throws -> [(
    person: Person, workspaces: [String]
  )] {
    try await database.read { transaction in
      let people = try transaction.all(
        "SELECT \(sql: Person.columns) FROM users u WHERE u.id > \(number) ORDER BY u.id LIMIT \(limit)", Person.init)
      guard let last = people.last?.id.number else { return [] }
      let memberships = try transaction.all(
        """
        SELECT m.user_id, w.name FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
        WHERE m.user_id > \(number) AND m.user_id <= \(last) AND w.deleted_at IS NULL ORDER BY w.id
        """
      ) { (user: try $0.get("user_id") as Int64, name: try $0.get("name") as String) }
      let names = Dictionary(grouping: memberships, by: \.user).mapValues { $0.map(\.name) }
      return people.map { ($0, names[$0.id.number] ?? []) }
    }
  }
}
