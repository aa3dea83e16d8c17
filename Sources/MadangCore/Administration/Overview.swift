import Storage

/// A session as an administrator sees it.
package struct SessionRecord: Sendable {
  package let id: Int64
  package let email: String
  package let edition: String
  package let createdAt: Int64
  package let lastUsedAt: Int64
  /// The network address of its sign-in; nil if not known.
  package let address: String?
  /// The kind of device of its sign-in, in words; nil if not known.
  package let device: String?
}

/// Totals of the installation.
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
  /// One page of workspaces, ordered by number. Of deleted workspaces, only the ones on legal hold are listed.
  package func workspaces(after number: Int64, limit: Int) async throws -> [WorkspaceRecord] {
    try await database.read { try $0.workspaceRecords(after: number, limit: limit) }
  }

  /// A workspace; a deleted one only while it is on hold. Throws `.notFound`.
  package func workspaceRecord(_ name: WorkspaceName) async throws -> WorkspaceRecord {
    let record = try await database.read {
      try $0.workspaceRecord(try $0.workspace(name, orDeleted: true).id.number)
    }
    guard record.deletedAt == nil || record.heldAt != nil else {
      throw Failure(.notFound, "workspace '\(name.text)' was deleted")
    }
    return record
  }

  /// One page of sessions, ordered by number, of one account or of all. Throws `.noSuchUser`.
  package func sessions(email: String?, after number: Int64, limit: Int) async throws -> [SessionRecord] {
    try await database.read { transaction in
      let user = try email.map { try transaction.userID(email: $0) }
      return try transaction.sessionRecords(of: user, after: number, limit: limit)
    }
  }

  /// Ends a session. Throws `.noSuchSession`.
  package func endSession(_ id: Int64, by administrator: Administrator) async throws {
    try await database.write(ignoresStop: true) { [self] transaction in
      guard let user = try transaction.user(ofSession: id) else {
        throw Failure(.noSuchSession, "there is no session \(id)")
      }
      guard try end(session: id, of: user, in: transaction) else { return }
      try audit(
        AuditEntry(
          kind: .sessionEnded, actor: .administrator(administrator), account: user,
          subject: try transaction.email(of: user) ?? "",
          detail: ["session": "\(id)"]), in: transaction)
    }
  }

  /// Ends all sessions of an account and returns how many it had. Throws `.noSuchUser`.
  package func endSessions(email: String, by administrator: Administrator) async throws -> Int {
    try await database.write(ignoresStop: true) { [self] transaction in
      let person = try transaction.person(email: email)
      let count = try endSessions(of: person.id.number, in: transaction)
      try audit(
        AuditEntry(
          kind: .sessionEnded, actor: .administrator(administrator), account: person.id.number, subject: person.email,
          detail: ["sessions": "\(count)"]), in: transaction)
      return count
    }
  }

  package func statistics() async throws -> Statistics {
    try await database.read { try $0.statistics() }
  }
}
