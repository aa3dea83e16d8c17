import Storage

extension Transaction {
  /// The sign-up rules of a key, also of a key that was just revoked; nil for an unknown key.
  func rule(ofKey hash: String) throws -> (registration: String?, approval: String?)? {
    try first("SELECT registration, approval FROM api_keys WHERE key_hash = \(hash)") {
      (try $0.get("registration"), try $0.get("approval"))
    }
  }

  func setUnconfirmed(_ user: Int64, since time: Int64) throws {
    try execute("UPDATE users SET unconfirmed_at = \(time) WHERE id = \(user)")
  }

  /// False if the account did not wait for confirmation.
  func endUnconfirmed(_ user: Int64) throws -> Bool {
    try execute("UPDATE users SET unconfirmed_at = NULL WHERE id = \(user) AND unconfirmed_at IS NOT NULL") == 1
  }

  func setPending(_ user: Int64, since time: Int64) throws {
    try execute("UPDATE users SET pending_at = \(time) WHERE id = \(user)")
  }

  /// Whether an account that was made between two times waits for approval.
  func hasPending(from time: Int64, to end: Int64) throws -> Bool {
    try first(
      "SELECT 1 AS found FROM users WHERE pending_at IS NOT NULL AND pending_at BETWEEN \(time) AND \(end) LIMIT 1"
    ) { _ in true } ?? false
  }

  func endPending(_ user: Int64) throws { try execute("UPDATE users SET pending_at = NULL WHERE id = \(user)") }

  func waiting(_ user: Int64) throws -> (isUnconfirmed: Bool, isPending: Bool) {
    try first("SELECT unconfirmed_at, pending_at FROM users WHERE id = \(user)") { row in
      (
        isUnconfirmed: try row.get("unconfirmed_at", as: Int64?.self) != nil,
        isPending: try row.get("pending_at", as: Int64?.self) != nil
      )
    } ?? (isUnconfirmed: false, isPending: false)
  }

  /// Throws `.invalid` if the account does not wait for approval.
  func requirePending(_ person: Person) throws {
    guard try waiting(person.id.number).isPending else {
      throw Failure(.invalid, "\(person.email) does not wait for approval; see 'madang admin users pending'")
    }
  }

  /// The account that has this address without confirming it, unless it is disabled.
  func unconfirmedPerson(_ email: String) throws -> Person? {
    guard let person = try personByEmail(email) else { return nil }
    return try first(
      """
      SELECT 1 AS found FROM users
      WHERE id = \(person.id.number) AND unconfirmed_at IS NOT NULL AND disabled_at IS NULL
      """
    ) { _ in person }
  }

  /// Accounts that have waited since before `time` and that other accounts do not depend on, ordered by number.
  func idleAccounts(waitingFor waiting: Waiting, before time: Int64, after number: Int64, limit: Int) throws -> [Int64]
  {
    try all(
      """
      SELECT u.id FROM users u
      WHERE u.\(sql: waiting.column) IS NOT NULL AND u.\(sql: waiting.column) <= \(time) AND u.id > \(number)
        AND u.disabled_at IS NULL AND u.deleted_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM workspace_members m WHERE m.user_id = u.id)
        AND NOT EXISTS (SELECT 1 FROM direct_messages d WHERE d.low_user_id = u.id OR d.high_user_id = u.id)
        AND NOT EXISTS (SELECT 1 FROM files f WHERE f.uploader_id = u.id AND f.room_id IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.user_id = u.id)
      ORDER BY u.id LIMIT \(limit)
      """
    ) { try $0.get("id") }
  }

  /// Moves the start of waiting to `time`, for up to `limit` accounts that wait longer. Returns how many.
  func restartWait(_ waiting: Waiting, at time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      UPDATE users SET \(sql: waiting.column) = \(time) WHERE \(sql: waiting.column) < \(time) AND id IN
        (SELECT id FROM users WHERE \(sql: waiting.column) IS NOT NULL AND \(sql: waiting.column) < \(time) LIMIT \(limit))
      """)
  }

  /// Whether the account is one of ``idleAccounts(waitingFor:before:after:limit:)``.
  func isIdle(_ user: Int64, waitingFor waiting: Waiting, before time: Int64) throws -> Bool {
    try idleAccounts(waitingFor: waiting, before: time, after: user - 1, limit: 1).first == user
  }
}

extension Waiting {
  fileprivate var column: SQL {
    switch self {
    case .confirmation: "unconfirmed_at"
    case .approval: "pending_at"
    }
  }
}
