import Storage

extension Transaction {
  func insertMail(_ mail: Mail, now: Int64, expiresAt: Int64) throws {
    try execute(
      """
      INSERT INTO mails (kind, recipient, subject, body, created_at, expires_at, attempts, next_at)
      VALUES (\(mail.kind), \(mail.recipient), \(mail.subject), \(mail.body), \(now), \(expiresAt), 0, 0)
      """)
  }

  func waitingMails(limit: Int) throws -> Int {
    try one("SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM mails LIMIT \(limit)) AS m") { try $0.get("number") }
  }

  func oldestMail() throws -> Int64? {
    try first("SELECT created_at FROM mails ORDER BY id LIMIT 1") { try $0.get("created_at") }
  }

  /// The oldest mails that wait, without their texts.
  func waitingMailRecords(limit: Int) throws -> [WaitingMail] {
    try all(
      """
      SELECT id, kind, recipient, created_at, attempts, next_at, error FROM mails ORDER BY id LIMIT \(limit)
      """
    ) { row in
      let queuedAt: Int64 = try row.get("created_at")
      return WaitingMail(
        number: try row.get("id"), recipient: try row.get("recipient"), kind: try row.get("kind"), queuedAt: queuedAt,
        attempts: try row.get("attempts"), nextAt: max(queuedAt, try row.get("next_at")), error: try row.get("error"))
    }
  }

  /// Whether a mail may be tried. A time that lies too far ahead was set before the database's clock was set back, so it is ignored.
  private func isDue(at now: SQL) -> SQL {
    "(next_at <= \(sql: now) OR next_at > \(sql: now) + \(2 * Madang.longestMailPause))"
  }

  /// Mails that may be tried. Password resets come first, so that mails which unknown clients cause do not delay them; then the mail that
  /// is due longest.
  func dueMails(at now: SQL, limit: Int) throws -> [Int64] {
    let first = MailKind.passwordReset.rawValue
    let resets = try dueMails("kind = \(first)", at: now, limit: limit)
    guard resets.count < limit else { return resets }
    return resets + (try dueMails("kind <> \(first)", at: now, limit: limit - resets.count))
  }

  private func dueMails(_ condition: SQL, at now: SQL, limit: Int) throws -> [Int64] {
    try all(
      "SELECT id FROM mails WHERE \(sql: condition) AND \(sql: isDue(at: now)) ORDER BY next_at, id LIMIT \(limit)"
    ) { try $0.get("id") }
  }

  /// Counts an attempt for each mail that may still be tried, and returns these mails.
  func claimMails(
    _ ids: [Int64], at now: SQL, for duration: Int64, _ dialect: Dialect, html: (Mail) -> String
  ) throws -> [ClaimedMail] {
    try all(
      """
      UPDATE mails SET attempts = attempts + 1, next_at = \(sql: now) + \(duration) WHERE id IN
        (SELECT id FROM mails WHERE id IN (\(list: ids)) AND \(sql: isDue(at: now))
          ORDER BY id \(sql: dialect.skippingLocked))
      RETURNING id, kind, recipient, subject, body, created_at, attempts, unanswered
      """
    ) { try ClaimedMail($0, html: html) }
  }

  /// Deletes a mail, unless another attempt has started since.
  func deleteMail(_ claimed: ClaimedMail) throws {
    try execute("DELETE FROM mails WHERE id = \(claimed.id) AND attempts = \(claimed.attempt)")
  }

  /// Delays a mail, unless another attempt has started since.
  func putOffMail(_ claimed: ClaimedMail, until time: SQL, unanswered: Int, error: String?) throws {
    try execute(
      """
      UPDATE mails SET next_at = \(sql: time), unanswered = \(unanswered), error = COALESCE(\(error), error)
      WHERE id = \(claimed.id) AND attempts = \(claimed.attempt)
      """)
  }

  /// Deletes mails that wait for the owner of an account with this address. A mail that is being sent still arrives.
  func deleteMails(toAccountWith recipient: String) throws {
    let others = MailKind.toAdministrators.map(\.rawValue)
    try execute("DELETE FROM mails WHERE recipient = \(recipient) AND kind NOT IN (\(list: others))")
  }

  /// Deletes up to `limit` expired mails, and returns how many.
  func deleteMails(expiredBy time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM mails WHERE id IN
        (SELECT id FROM mails WHERE expires_at <= \(time) ORDER BY expires_at, id LIMIT \(limit))
      """)
  }
}
