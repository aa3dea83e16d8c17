import Storage

/// A workspace as an administrator sees it.
package struct WorkspaceRecord: Sendable {
  package let workspace: Workspace
  package let ownerEmail: String
  package let members: Int
  package let channels: Int
  package let chats: Int
  package let retention: RetentionDays
  /// Since when it is on legal hold, in milliseconds since 1970; nil if it is not.
  package let heldAt: Int64?
  /// When its owner deleted it; nil for one that people use.
  package let deletedAt: Int64?
}

/// A session as an administrator sees it.
package struct SessionRecord: Sendable {
  package let id: Int64
  package let email: String
  package let edition: String
  package let createdAt: Int64
  package let lastUsedAt: Int64
}

/// How much there is.
package struct Statistics: Sendable {
  package let accounts: Int
  package let disabledAccounts: Int
  package let sessions: Int
  package let workspaces: Int
  package let channels: Int
  package let directMessages: Int
  package let chats: Int
  package let files: Int
  package let fileBytes: Int
  package let coins: Int
}

extension Madang {
  /// Workspaces by their numbers, those after one, at most so many; of those that were deleted the ones on legal hold.
  package func workspaces(after number: Int64, limit: Int) async throws -> [WorkspaceRecord] {
    try await database.read {
      try $0.workspaceRecords("w.id > \(number) AND (w.deleted_at IS NULL OR w.held_at IS NOT NULL)", limit: limit)
    }
  }

  /// Throws `.notFound`.
  package func workspaceRecord(_ name: WorkspaceName) async throws -> WorkspaceRecord {
    try await database.read { try $0.workspaceRecord(try $0.workspace(name, orDeleted: true).id.number) }
  }

  /// Sessions by their numbers, those after one, at most so many, of one account or of all. Throws `.noSuchUser`.
  package func sessions(email: String?, after number: Int64, limit: Int) async throws -> [SessionRecord] {
    try await database.read { transaction in
      let user = try email.map { try transaction.userID(email: $0) }
      let condition: SQL = user.map { "AND s.user_id = \($0)" } ?? ""
      return try transaction.all(
        """
        SELECT s.id, s.edition, s.created_at, s.last_used_at, u.email
        FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.id > \(number) \(sql: condition) ORDER BY s.id LIMIT \(limit)
        """
      ) { row in
        SessionRecord(
          id: try row.get("id"), email: try row.get("email"), edition: try row.get("edition"),
          createdAt: try row.get("created_at"), lastUsedAt: try row.get("last_used_at"))
      }
    }
  }

  /// Ends a session. Throws `.noSuchSession`.
  package func endSession(_ id: Int64) async throws {
    try await database.write(heedsStop: false) { [self] transaction in
      guard let user = try transaction.user(ofSession: id) else {
        throw Failure(.noSuchSession, "there is no session \(id)")
      }
      guard try end(session: id, of: user, in: transaction) else { return }
      try audit(
        AuditEntry(
          kind: .sessionEnded, actor: .administrator, account: user, subject: try transaction.email(of: user) ?? "",
          detail: ["session": "\(id)"]), in: transaction)
    }
  }

  /// Ends all sessions of an account and answers how many there were. Throws `.noSuchUser`.
  package func endSessions(email: String) async throws -> Int {
    try await database.write(heedsStop: false) { [self] transaction in
      let person = try transaction.person(email: email)
      let count = try endSessions(of: person.id.number, in: transaction)
      try audit(
        AuditEntry(
          kind: .sessionEnded, actor: .administrator, account: person.id.number, subject: person.email,
          detail: ["sessions": "\(count)"]), in: transaction)
      return count
    }
  }

  package func statistics() async throws -> Statistics {
    try await database.read { transaction in
      func count(_ what: SQL) throws -> Int {
        try transaction.one("SELECT CAST(\(sql: what) AS BIGINT) AS number") { try $0.get("number") }
      }
      let rooms: SQL =
        "rooms r JOIN workspaces w ON w.id = r.workspace_id WHERE r.deleted_at IS NULL AND w.deleted_at IS NULL"
      return Statistics(
        accounts: try count("(SELECT COUNT(*) FROM users)"),
        disabledAccounts: try count("(SELECT COUNT(*) FROM users WHERE disabled_at IS NOT NULL)"),
        sessions: try count("(SELECT COUNT(*) FROM sessions)"),
        workspaces: try count("(SELECT COUNT(*) FROM workspaces WHERE deleted_at IS NULL)"),
        channels: try count("(SELECT COUNT(*) FROM \(sql: rooms) AND r.kind = 'channel')"),
        directMessages: try count("(SELECT COUNT(*) FROM \(sql: rooms) AND r.kind = 'dm')"),
        chats: try count("(SELECT COALESCE(SUM(r.last_seq - r.cleared_seq), 0) FROM \(sql: rooms))"),
        files: try count("(SELECT COUNT(*) FROM files)"),
        fileBytes: try count("(SELECT COALESCE(SUM(size), 0) FROM files)"),
        coins: try count("(SELECT COALESCE(SUM(coins), 0) FROM users)"))
    }
  }
}

extension Transaction {
  /// The workspace, also if it was deleted. Throws `.notFound`.
  func workspaceRecord(_ number: Int64) throws -> WorkspaceRecord {
    guard let record = try workspaceRecords("w.id = \(number)", limit: 1).first else {
      throw Failure(.notFound, "the workspace is gone")
    }
    return record
  }

  fileprivate func workspaceRecords(_ condition: SQL, limit: Int) throws -> [WorkspaceRecord] {
    try all(
      """
      SELECT \(sql: Workspace.columns), (SELECT o.email FROM users o WHERE o.id = w.owner_id) AS owner_email,
        (SELECT COUNT(*) FROM workspace_members m WHERE m.workspace_id = w.id) AS members,
        (SELECT COUNT(*) FROM rooms r
          WHERE r.workspace_id = w.id AND r.kind = 'channel' AND r.deleted_at IS NULL) AS channels,
        (SELECT CAST(COALESCE(SUM(r.last_seq - r.cleared_seq), 0) AS BIGINT) FROM rooms r
          WHERE r.workspace_id = w.id AND r.deleted_at IS NULL) AS chats,
        w.chat_days, w.file_days, w.held_at, w.deleted_at
      FROM workspaces w WHERE \(sql: condition) ORDER BY w.id LIMIT \(limit)
      """
    ) { row in
      WorkspaceRecord(
        workspace: try Workspace(row), ownerEmail: try row.get("owner_email"), members: try row.get("members"),
        channels: try row.get("channels"), chats: try row.get("chats"),
        retention: RetentionDays(chats: try row.get("chat_days"), files: try row.get("file_days")),
        heldAt: try row.get("held_at"), deletedAt: try row.get("deleted_at"))
    }
  }
}
