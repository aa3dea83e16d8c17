import Storage

/// Read-only mode, in which the database refuses changes of people's data.
package struct ReadOnlyMode: Equatable, Sendable {
  /// Milliseconds since 1970.
  package let since: Int64
  /// The reason that the administrator gave; empty if there is none.
  package let reason: String

  package init(since: Int64, reason: String) { (self.since, self.reason) = (since, reason) }
}

extension Madang {
  /// Longest reason, in characters.
  package static let maxReadOnlyReason = 200

  /// The read-only mode of the database; nil if it is off.
  package func readOnlyMode() async throws -> ReadOnlyMode? { try await database.read { try $0.readOnlyMode() } }

  /// Starts read-only mode for all servers of the database. When this returns, no further change of people's data is committed: chats,
  /// places, members, files, accounts, coins. Sessions still begin and end, addresses are recorded, queues are worked off and the audit log
  /// is written. If the mode is on already, its time stays, and so does its reason unless a new one is given. Throws `.invalid`.
  package func beginReadOnlyMode(reason: String, by administrator: Administrator) async throws -> ReadOnlyMode {
    guard reason.count <= Self.maxReadOnlyReason, !reason.hasNUL else {
      throw Failure(.invalid, "reason: up to \(Self.maxReadOnlyReason) characters")
    }
    let began = ContinuousClock.now
    return try await database.write(ignoresStop: true) { [self, now = clock.now] transaction in
      try database.lockStop(in: Transaction.readOnlyTable, transaction, triedSince: began)
      let mode = try transaction.beginReadOnlyMode(reason: reason, now: now)
      try audit(
        AuditEntry(kind: .readOnlyBegan, actor: .administrator(administrator), detail: ["reason": reason]),
        in: transaction)
      return mode
    }
  }

  /// Ends read-only mode, and returns it; nil if it was off.
  package func endReadOnlyMode(by administrator: Administrator) async throws -> ReadOnlyMode? {
    try await database.write(ignoresStop: true) { [self] transaction in
      guard let mode = try transaction.endReadOnlyMode() else { return nil }
      try audit(
        AuditEntry(kind: .readOnlyEnded, actor: .administrator(administrator), detail: ["reason": mode.reason]),
        in: transaction)
      return mode
    }
  }

  /// For writes that read-only mode allows in part: throws the same error as refused writes, and holds off read-only mode until the COMMIT.
  func refuseIfReadOnly(_ transaction: Transaction) throws {
    try database.refuseIfStopped(in: Transaction.readOnlyTable, transaction)
  }
}
