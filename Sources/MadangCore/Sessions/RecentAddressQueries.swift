import Storage

extension Transaction {
  /// Nothing for an account that is disabled or has no session. An earlier time takes the place of one that is more than the skew later.
  func noteAddress(_ address: String, of user: Int64, at time: Int64, maxSkew: Int64) throws {
    try execute(
      """
      INSERT INTO recent_addresses (address, user_id, seen_at)
      SELECT \(address), u.id, \(time) FROM users u WHERE u.id = \(user) AND u.disabled_at IS NULL
        AND EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = u.id)
      ON CONFLICT (address, user_id) DO UPDATE SET seen_at = excluded.seen_at
      WHERE recent_addresses.seen_at < excluded.seen_at
        OR recent_addresses.seen_at > excluded.seen_at + \(maxSkew)
      """)
  }

  /// Accounts that may act and were seen at an address in a time; two at most.
  func accounts(seenAt address: String, _ times: ClosedRange<Int64>) throws -> [Int64] {
    try all(
      """
      SELECT a.user_id FROM recent_addresses a JOIN users u ON u.id = a.user_id
      WHERE a.address = \(address) AND a.seen_at BETWEEN \(times.lowerBound) AND \(times.upperBound)
        AND u.disabled_at IS NULL LIMIT 2
      """
    ) { try $0.get("user_id") }
  }

  func isKnown(_ emailKey: String, at address: String, _ times: ClosedRange<Int64>) throws -> Bool {
    try first(
      """
      SELECT 1 AS found FROM recent_addresses a JOIN users u ON u.id = a.user_id
      WHERE u.email_key = \(emailKey) AND a.address = \(address)
        AND a.seen_at BETWEEN \(times.lowerBound) AND \(times.upperBound)
      """
    ) { _ in true } ?? false
  }

  /// Forgets that many at most of each kind: those before the times and those after. Answers how many.
  func forgetAddresses(seenOutside times: ClosedRange<Int64>, limit: Int) throws -> Int {
    try execute(Self.forgettingAddresses("< \(times.lowerBound)", limit: limit))
      + execute(Self.forgettingAddresses("> \(times.upperBound)", limit: limit))
  }

  /// Finds rows by `recent_addresses_by_date` and deletes them by their key. What is seen again meanwhile stays.
  static func forgettingAddresses(_ isOutside: SQL, limit: Int) -> SQL {
    // With the `+` no engine walks that index a second time, through all rows.
    """
    DELETE FROM recent_addresses WHERE +seen_at \(sql: isOutside) AND (address, user_id) IN
      (SELECT address, user_id FROM recent_addresses WHERE seen_at \(sql: isOutside) ORDER BY seen_at LIMIT \(limit))
    """
  }

  func forgetAddresses(of user: Int64) throws {
    try execute("DELETE FROM recent_addresses WHERE user_id = \(user)")
  }
}
