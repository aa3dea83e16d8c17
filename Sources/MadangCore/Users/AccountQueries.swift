import Storage

extension Transaction {
  func accountRecord(_ number: Int64) throws -> AccountRecord {
    guard let record = try accounts("u.id = \(number)", limit: 1).first else { throw UnexpectedlyEmpty() }
    return record
  }

  /// One page of accounts, ordered by number.
  func accounts(after number: Int64, limit: Int) throws -> [AccountRecord] {
    try accounts("u.id > \(number)", limit: limit)
  }

  /// One page of the accounts that wait for approval, ordered by number.
  func pendingAccounts(after number: Int64, limit: Int) throws -> [AccountRecord] {
    try accounts("u.pending_at IS NOT NULL AND u.deleted_at IS NULL AND u.id > \(number)", limit: limit)
  }

  func accounts(_ condition: SQL, limit: Int) throws -> [AccountRecord] {
    try all(
      """
      SELECT \(sql: Account.columns), u.disabled_at, u.deleted_at, u.unconfirmed_at, u.pending_at,
        (SELECT COUNT(*) FROM sessions s WHERE s.user_id = u.id) AS sessions,
        COALESCE((SELECT MAX(s.last_used_at) FROM sessions s WHERE s.user_id = u.id),
          (SELECT a.at FROM audit a WHERE a.account_id = u.id AND a.kind IN (\(list: AuditKind.visits.map(\.rawValue)))
            ORDER BY a.at DESC LIMIT 1)) AS last_seen_at
      FROM users u WHERE \(sql: condition) ORDER BY u.id LIMIT \(limit)
      """, AccountRecord.init)
  }

  /// Keeps the time if the account is disabled already.
  func disable(_ user: Int64, now: Int64) throws {
    try execute("UPDATE users SET disabled_at = COALESCE(disabled_at, \(now)) WHERE id = \(user)")
  }

  /// False if the account was not disabled.
  func enable(_ user: Int64) throws -> Bool {
    try execute("UPDATE users SET disabled_at = NULL WHERE id = \(user) AND disabled_at IS NOT NULL") > 0
  }

  func userID(email: String) throws -> Int64 { try person(email: email).id.number }

  func person(email: String) throws -> Person { try required(personByEmail(email), email) }

  /// Locks the account's row until COMMIT.
  func lockedPerson(email: String) throws -> Person { try required(lockedPersonByEmail(email), email) }

  private func required(_ person: Person?, _ email: String) throws -> Person {
    guard let person else { throw Failure(.noSuchUser, "no account has the address \(email)") }
    return person
  }
}
