import Storage

extension Transaction {
  func emailExists(_ key: String) throws -> Bool {
    try first("SELECT 1 AS found FROM users WHERE email_key = \(key)") { _ in true } ?? false
  }

  /// Returns the new account, still without coins; nil if the e-mail address is taken.
  func insertUser(
    uuid: String, email: String, credential: Credential, nickname: String, phone: String, now: Int64
  ) throws -> Account? {
    let id: Int64? = try first(
      """
      INSERT INTO users (uuid, email, email_key, password_hash, sign_in_method, sign_in_subject, nickname, phone, coins,
        created_at)
      VALUES (\(uuid), \(email), \(TextRules.emailKey(email)), \(credential.passwordHash),
        \(credential.provider?.rawValue), \(credential.subject), \(nickname), \(phone), 0, \(now))
      ON CONFLICT DO NOTHING \(sql: .returningID)
      """
    ) { try $0.get("id") }
    return try id.map(account)
  }

  func account(of provider: SocialProvider, subject: String) throws -> Account? {
    try first(
      """
      SELECT \(sql: Account.columns) FROM users u
      WHERE u.sign_in_method = \(provider.rawValue) AND u.sign_in_subject = \(subject)
      """, Account.init)
  }

  func account(_ id: Int64) throws -> Account {
    guard let account = try first("SELECT \(sql: Account.columns) FROM users u WHERE u.id = \(id)", Account.init)
    else { throw Failure(.accountGone, "the account no longer exists") }
    return account
  }

  func updateUser(_ id: Int64, nickname: String? = nil, phone: String? = nil, picture: String? = nil) throws {
    try execute(
      """
      UPDATE users SET nickname = COALESCE(\(nickname), nickname), phone = COALESCE(\(phone), phone),
        profile_image = COALESCE(\(picture), profile_image)
      WHERE id = \(id)
      """)
  }

  func visibleProfile(_ reference: Reference, to caller: Int64) throws -> Profile? {
    try first(
      """
      SELECT \(sql: Profile.columns) FROM users u WHERE \("u", is: reference) AND (u.id = \(caller)
        OR EXISTS (SELECT 1 FROM workspace_members mine
          JOIN workspace_members theirs ON theirs.workspace_id = mine.workspace_id
          JOIN workspaces w ON w.id = mine.workspace_id
          WHERE mine.user_id = \(caller) AND theirs.user_id = u.id AND w.deleted_at IS NULL)
        OR EXISTS (SELECT 1 FROM direct_messages d JOIN workspaces w ON w.id = d.workspace_id
          WHERE (d.low_user_id = \(caller) AND d.high_user_id = u.id
            OR d.high_user_id = \(caller) AND d.low_user_id = u.id) AND w.deleted_at IS NULL))
      """, Profile.init)
  }

  /// Nil if the account was deleted.
  func email(of user: Int64) throws -> String? {
    try first("SELECT email FROM users WHERE id = \(user)") { try $0.get("email") }
  }

  /// Ignores deleted accounts.
  func personByEmail(_ email: String) throws -> Person? {
    try first(
      """
      SELECT \(sql: Person.columns) FROM users u
      WHERE u.email_key = \(TextRules.emailKey(email)) AND u.deleted_at IS NULL
      """, Person.init)
  }

  /// Locks the account until COMMIT, so that it is not deleted meanwhile. Ignores deleted accounts.
  func lockedPersonByEmail(_ email: String) throws -> Person? {
    try lock(.users, where: "u.email_key = \(TextRules.emailKey(email)) AND u.deleted_at IS NULL")
    return try personByEmail(email)
  }
}
