import Storage

extension Transaction {
  /// How many mails were counted since a whole hour or day.
  /// - Parameters:
  ///   - account: Nil for all accounts together.
  ///   - kind: Nil for all kinds.
  func mailCount(of account: Int64?, _ kind: MailKind?, since time: Int64) throws -> Int {
    try first(
      """
      SELECT number FROM mail_counts
      WHERE user_id = \(account ?? 0) AND kind = \(kind?.rawValue ?? "") AND began_at = \(time)
      """
    ) { try $0.get("number") } ?? 0
  }

  func countMail(of account: Int64?, _ kind: MailKind?, since time: Int64) throws {
    try execute(
      """
      INSERT INTO mail_counts (user_id, kind, began_at, number)
      VALUES (\(account ?? 0), \(kind?.rawValue ?? ""), \(time), 1)
      ON CONFLICT (user_id, kind, began_at) DO UPDATE SET number = mail_counts.number + 1
      """)
  }

  func deleteMailCounts(of user: Int64) throws { try execute("DELETE FROM mail_counts WHERE user_id = \(user)") }

  /// Deletes up to `limit` old counts, and returns how many.
  func deleteMailCounts(before time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM mail_counts WHERE (user_id, kind, began_at) IN
        (SELECT user_id, kind, began_at FROM mail_counts WHERE began_at < \(time) ORDER BY began_at LIMIT \(limit))
      """)
  }
}
