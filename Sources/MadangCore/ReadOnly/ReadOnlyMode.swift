import Storage

/// Since when, and why, a database takes no changes of what people have in it.
package struct ReadOnlyMode: Equatable, Sendable {
  /// Milliseconds since 1970.
  package let since: Int64
  /// What the administrator said of it; empty for nothing.
  package let reason: String

  package init(since: Int64, reason: String) { (self.since, self.reason) = (since, reason) }
}

extension Madang {
  /// What an administrator may say of the reason, in characters.
  package static let maxReadOnlyReason = 200

  /// Whether the database is in read-only mode; nil if it is not.
  package func readOnlyMode() async throws -> ReadOnlyMode? { try await database.read { try $0.readOnlyMode() } }

  /// Begins read-only mode for all servers of the database. Once this has answered, nothing is committed any more that people have in it:
  /// chats, places, members, files, accounts, coins. Sessions begin and end, addresses are noted and queues are worked off all the same, and
  /// the audit log is written. Where it is on already, the time stays, and the reason if none is given. Throws `.invalid`.
  package func beginReadOnlyMode(reason: String) async throws -> ReadOnlyMode {
    guard reason.count <= Self.maxReadOnlyReason, !reason.hasNUL else {
      throw Failure(.invalid, "reason: up to \(Self.maxReadOnlyReason) characters")
    }
    let began = ContinuousClock.now
    return try await database.write(heedsStop: false) { [self, now = clock.now] transaction in
      try database.holdStop(in: Transaction.readOnlyTable, transaction, triedSince: began)
      let mode = try transaction.beginReadOnlyMode(reason: reason, now: now)
      try audit(
        AuditEntry(kind: .readOnlyBegan, actor: .administrator, detail: ["reason": reason]), in: transaction)
      return mode
    }
  }

  /// Ends it, and answers what it was; nil if it was not on.
  package func endReadOnlyMode() async throws -> ReadOnlyMode? {
    try await database.write(heedsStop: false) { [self] transaction in
      guard let mode = try transaction.endReadOnlyMode() else { return nil }
      try audit(
        AuditEntry(kind: .readOnlyEnded, actor: .administrator, detail: ["reason": mode.reason]), in: transaction)
      return mode
    }
  }

  /// For writes that read-only mode does not refuse as a whole: throws the same as it refuses others with, and keeps it from beginning
  /// before the COMMIT.
  func refuseIfReadOnly(_ transaction: Transaction) throws {
    try database.refuseIfStopped(in: Transaction.readOnlyTable, transaction)
  }
}
