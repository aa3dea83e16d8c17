import Storage

/// An account as an administrator sees it.
package struct AccountRecord: Sendable {
  package let account: Account
  /// Milliseconds since 1970; nil if the account is enabled.
  package let disabledAt: Int64?
  /// Milliseconds since 1970; nil if the account exists.
  package let deletedAt: Int64?
  /// Since when the address waits for confirmation, in milliseconds since 1970; nil if it does not wait.
  package let unconfirmedAt: Int64?
  /// Since when the account waits for approval, in milliseconds since 1970; nil if it does not wait.
  package let pendingAt: Int64?
  package let sessions: Int
  /// When a session was used last; without a session, when the account last signed in or out, as far as the audit log reaches. In
  /// milliseconds since 1970; nil if it is not known.
  package let lastSeenAt: Int64?

  init(_ row: Row) throws {
    account = try Account(row)
    disabledAt = try row.get("disabled_at")
    deletedAt = try row.get("deleted_at")
    unconfirmedAt = try row.get("unconfirmed_at")
    pendingAt = try row.get("pending_at")
    sessions = try row.get("sessions")
    lastSeenAt = try row.get("last_seen_at")
  }
}

extension Madang {
  /// Changes an account for an administrator, and logs it.
  /// - Parameter change: Returns the details for the audit log; nil if nothing is to be logged.
  func changeAccount(
    _ email: String, _ kind: AuditKind, by administrator: Administrator, ignoresReadOnlyMode: Bool = false,
    _ change: @escaping @Sendable (Transaction, _ user: Int64, _ now: Int64) throws -> AuditDetail?
  ) async throws -> AccountRecord {
    try await database.write(ignoresStop: ignoresReadOnlyMode) { [self, now = clock.now] transaction in
      let person = try transaction.lockedPerson(email: email)
      let user = person.id.number
      if let detail = try change(transaction, user, now) {
        try audit(
          AuditEntry(
            kind: kind, actor: .administrator(administrator), account: user, subject: person.email, detail: detail),
          in: transaction)
      }
      return try transaction.accountRecord(user)
    }
  }
}
