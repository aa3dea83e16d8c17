import Storage

extension Transaction {
  /// The account of an address, if it can sign in with a password.
  func personWithPassword(_ email: String) throws -> Person? {
    guard let person = try personByEmail(email) else { return nil }
    return try first(
      "SELECT 1 AS found FROM users WHERE id = \(person.id.number) AND password_hash IS NOT NULL AND disabled_at IS NULL"
    ) { _ in person }
  }

  func insertPasswordReset(of user: Int64, codeHash: String, now: Int64, until end: Int64) throws {
    try execute(
      """
      INSERT INTO password_resets (code_hash, user_id, created_at, expires_at)
      VALUES (\(codeHash), \(user), \(now), \(end))
      """)
  }

  /// How many an account was sent, as far as they are remembered.
  func passwordResets(of user: Int64, since time: Int64) throws -> Int {
    try one("SELECT COUNT(*) AS number FROM password_resets WHERE user_id = \(user) AND created_at > \(time)") {
      try $0.get("number")
    }
  }

  func hasPasswordReset(_ codeHash: String, now: Int64) throws -> Bool {
    try first("SELECT 1 AS found FROM password_resets WHERE code_hash = \(codeHash) AND expires_at > \(now)") { _ in
      true
    }
      ?? false
  }

  /// Ends all links of the account whose code it is, if the code is good and the account may sign in. Nil if not.
  func usePasswordReset(_ codeHash: String, now: Int64) throws -> Person? {
    let user = try first(
      "DELETE FROM password_resets WHERE code_hash = \(codeHash) AND expires_at > \(now) RETURNING user_id"
    ) { try $0.get("user_id", as: Int64.self) }
    guard let user, let account = try accounts("u.id = \(user) AND u.disabled_at IS NULL", limit: 1).first else {
      return nil
    }
    try endPasswordResets(of: user)
    return account.account.person
  }

  /// Links that were sent open nothing any more, and those that wait are not sent.
  func endPasswordResets(of user: Int64) throws {
    try execute(
      """
      DELETE FROM mails WHERE kind = \(MailKind.passwordReset.rawValue)
        AND recipient = (SELECT email FROM users WHERE id = \(user))
      """)
    try execute("UPDATE password_resets SET expires_at = 0 WHERE user_id = \(user)")
  }

  func deletePasswordResets(of user: Int64) throws {
    try execute("DELETE FROM password_resets WHERE user_id = \(user)")
  }

  func setPassword(_ hash: String, of user: Int64) throws {
    try execute("UPDATE users SET password_hash = \(hash) WHERE id = \(user)")
  }

  /// How many there were.
  func deletePasswordResets(before time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM password_resets WHERE code_hash IN
        (SELECT code_hash FROM password_resets WHERE created_at <= \(time) ORDER BY created_at LIMIT \(limit))
      """)
  }
}
