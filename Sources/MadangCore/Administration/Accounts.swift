import Storage

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
  package func disable(email: String, by administrator: Administrator) async throws -> AccountRecord {
    try await changeAccount(email, .accountDisabled, by: administrator, ignoresReadOnlyMode: true) {
      [self] transaction, user, now in
      try transaction.disable(user, now: now)
      for kind in AccountLink.allCases { try transaction.endLinks(kind, of: user) }
      return ["sessions": "\(try endSessions(of: user, in: transaction))"]
    }
  }

  /// Lets a disabled account sign in again. Throws `.noSuchUser`, also for a deleted account.
  package func enable(email: String, by administrator: Administrator) async throws -> AccountRecord {
    try await changeAccount(email, .accountEnabled, by: administrator, ignoresReadOnlyMode: true) {
      transaction, user, _ in
      try transaction.enable(user) ? [:] : nil
    }
  }

  /// Sets a new password and ends the account's sessions. Throws `.invalid`, `.noSuchUser`, in this order.
  package func resetPassword(email: String, to password: String, by administrator: Administrator) async throws
    -> AccountRecord
  {
    let hash = try await hash(password: try TextRules.newPassword(password))
    return try await changeAccount(email, .passwordChanged, by: administrator) { [self] transaction, user, _ in
      try transaction.setPassword(hash, of: user)
      try transaction.agePlaces(of: user)
      try transaction.endLinks(.passwordReset, of: user)
      return ["sessions": "\(try endSessions(of: user, in: transaction))"]
    }
  }

  /// Adds coins to an account's ledger, with a note. Throws `.invalid`, `.noSuchUser`, in this order.
  package func giveCoins(_ amount: Int, email: String, note: String, by administrator: Administrator) async throws
    -> AccountRecord
  {
    guard (1...1_000_000).contains(amount) else { throw Failure(.invalid, "amount: 1 to 1000000 coins") }
    let note = try TextRules.note(note)
    return try await changeAccount(email, .coinsGiven, by: administrator) { transaction, user, now in
      try transaction.addCoins(amount, to: user, for: "administrator: \(note)", now: now)
      return ["coins": "\(amount)", "note": note]
    }
  }
}
