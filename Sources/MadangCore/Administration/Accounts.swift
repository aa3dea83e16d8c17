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

  init(_ row: Row) throws {
    account = try Account(row)
    disabledAt = try row.get("disabled_at")
    deletedAt = try row.get("deleted_at")
    unconfirmedAt = try row.get("unconfirmed_at")
    pendingAt = try row.get("pending_at")
    sessions = try row.get("sessions")
  }
}

extension Madang {
  /// One page of accounts, ordered by number.
  package func accounts(after number: Int64, limit: Int) async throws -> [AccountRecord] {
    try await database.read { try $0.accounts(after: number, limit: limit) }
  }

  /// The number of the account with this e-mail; nil if there is none.
  package func accountNumber(email: String) async throws -> Int64? {
    try await database.read { try $0.personByEmail(email)?.id.number }
  }

  /// The e-mail of the account with this number; nil if there is none.
  package func email(ofAccount number: Int64) async throws -> String? {
    try await database.read { try $0.email(of: number) }
  }

  /// Disables an account: its sessions end, it cannot sign in, and its sockets are refused. Its chats stay. Throws `.noSuchUser`.
  package func disable(email: String) async throws -> AccountRecord {
    try await changeAccount(email, .accountDisabled, ignoresReadOnlyMode: true) { [self] transaction, user, now in
      try transaction.disable(user, now: now)
      for kind in AccountLink.allCases { try transaction.endLinks(kind, of: user) }
      return ["sessions": "\(try endSessions(of: user, in: transaction))"]
    }
  }

  /// Lets a disabled account sign in again. Throws `.noSuchUser`, also for a deleted account.
  package func enable(email: String) async throws -> AccountRecord {
    try await changeAccount(email, .accountEnabled, ignoresReadOnlyMode: true) { transaction, user, _ in
      try transaction.enable(user) ? [:] : nil
    }
  }

  /// Sets a new password and ends the account's sessions. Throws `.invalid`, `.noSuchUser`, in this order.
  package func resetPassword(email: String, to password: String) async throws -> AccountRecord {
    let hash = try await hash(password: try TextRules.newPassword(password))
    return try await changeAccount(email, .passwordChanged) { [self] transaction, user, _ in
      try transaction.setPassword(hash, of: user)
      try transaction.agePlaces(of: user)
      try transaction.endLinks(.passwordReset, of: user)
      return ["sessions": "\(try endSessions(of: user, in: transaction))"]
    }
  }

  /// Adds coins to an account's ledger, with a note. Throws `.invalid`, `.noSuchUser`, in this order.
  package func giveCoins(_ amount: Int, email: String, note: String) async throws -> AccountRecord {
    guard (1...1_000_000).contains(amount) else { throw Failure(.invalid, "amount: 1 to 1000000 coins") }
    let note = try TextRules.note(note)
    return try await changeAccount(email, .coinsGiven) { transaction, user, now in
      try transaction.addCoins(amount, to: user, for: "administrator: \(note)", now: now)
      return ["coins": "\(amount)", "note": note]
    }
  }

  /// - Parameter change: Returns the details for the audit log; nil if nothing is to be logged.
  func changeAccount(
    _ email: String, _ kind: AuditKind, ignoresReadOnlyMode: Bool = false,
    _ change: @escaping @Sendable (Transaction, _ user: Int64, _ now: Int64) throws -> AuditDetail?
  ) async throws -> AccountRecord {
    try await database.write(ignoresStop: ignoresReadOnlyMode) { [self, now = clock.now] transaction in
      let person = try transaction.lockedPerson(email: email)
      let user = person.id.number
      if let detail = try change(transaction, user, now) {
        try audit(
          AuditEntry(kind: kind, actor: .administrator, account: user, subject: person.email, detail: detail),
          in: transaction)
      }
      return try transaction.accountRecord(user)
    }
  }
}
