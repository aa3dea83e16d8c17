import Storage

extension AccountLink {
  fileprivate var table: SQL {
    switch self {
    case .passwordReset: "password_resets"
    case .confirmation: "address_confirmations"
    }
  }
}

extension Transaction {
  func insertLink(_ link: AccountLink, to person: Person, codeHash: String, now: Int64, until end: Int64) throws {
    let (column, value): (SQL, SQL) =
      switch link {
      case .passwordReset: ("", "")
      case .confirmation: (", mailbox", ", \(TextRules.mailbox(person.email))")
      }
    try execute(
      """
      INSERT INTO \(sql: link.table) (code_hash, user_id, created_at, expires_at\(sql: column))
      VALUES (\(codeHash), \(person.id.number), \(now), \(end)\(sql: value))
      """)
  }

  /// How many links were sent to an account, as far as they are remembered. Confirmation links count for the whole mailbox, because unknown
  /// clients cause them by signing up.
  func links(_ link: AccountLink, to person: Person, since time: Int64) throws -> Int {
    let theirs: SQL =
      switch link {
      case .passwordReset: "user_id = \(person.id.number)"
      case .confirmation: "mailbox = \(TextRules.mailbox(person.email))"
      }
    return try one(
      "SELECT COUNT(*) AS number FROM \(sql: link.table) WHERE \(sql: theirs) AND created_at > \(time)"
    ) { try $0.get("number") }
  }

  /// The account of a valid code, unless it is disabled.
  func account(of link: AccountLink, _ codeHash: String, now: Int64) throws -> Account? {
    try accounts(
      """
      u.disabled_at IS NULL
        AND u.id = (SELECT user_id FROM \(sql: link.table) WHERE code_hash = \(codeHash) AND expires_at > \(now))
      """, limit: 1
    ).first?.account
  }

  /// If the code is valid and its account may sign in, ends all links of this kind of the account and returns the account; otherwise nil.
  func useLink(_ link: AccountLink, _ codeHash: String, now: Int64) throws -> Person? {
    let user = try first(
      "DELETE FROM \(sql: link.table) WHERE code_hash = \(codeHash) AND expires_at > \(now) RETURNING user_id"
    ) { try $0.get("user_id", as: Int64.self) }
    guard let user, let account = try accounts("u.id = \(user) AND u.disabled_at IS NULL", limit: 1).first else {
      return nil
    }
    try endLinks(link, of: user)
    return account.account.person
  }

  /// Invalidates links that were sent, and cancels links that wait to be sent. They still count towards the account's limit.
  func endLinks(_ link: AccountLink, of user: Int64) throws {
    try execute(
      """
      DELETE FROM mails WHERE kind = \(link.mailKind.rawValue)
        AND recipient = (SELECT email FROM users WHERE id = \(user))
      """)
    try execute("UPDATE \(sql: link.table) SET expires_at = 0 WHERE user_id = \(user)")
  }

  func deleteLinks(_ link: AccountLink, of user: Int64) throws {
    try execute("DELETE FROM \(sql: link.table) WHERE user_id = \(user)")
  }

  /// Deletes up to `limit` old links, and returns how many.
  func deleteLinks(_ link: AccountLink, before time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM \(sql: link.table) WHERE code_hash IN
        (SELECT code_hash FROM \(sql: link.table) WHERE created_at <= \(time) ORDER BY created_at LIMIT \(limit))
      """)
  }
}
