import Storage

extension Transaction {
  /// Does nothing for an account that is disabled or has no session. An earlier time replaces a stored one only if that is later by more
  /// than the skew.
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

  /// Enabled accounts that were seen at an address in a range of time, at most two.
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

  /// Deletes up to `limit` rows before the range of times, and as many after it. Returns how many.
  func forgetAddresses(seenOutside times: ClosedRange<Int64>, limit: Int) throws -> Int {
    try execute(Self.forgettingAddresses("< \(times.lowerBound)", limit: limit))
      + execute(Self.forgettingAddresses("> \(times.upperBound)", limit: limit))
  }

  /// Finds rows through the index `recent_addresses_by_date` and deletes them by their key. Rows that are updated meanwhile stay.
  static func forgettingAddresses(_ isOutside: SQL, limit: Int) -> SQL {
    // The `+` keeps the engines from using that index again for a scan of all rows.
    """
    DELETE FROM recent_addresses WHERE +seen_at \(sql: isOutside) AND (address, user_id) IN
      (SELECT address, user_id FROM recent_addresses WHERE seen_at \(sql: isOutside) ORDER BY seen_at LIMIT \(limit))
    """
  }

  func forgetAddresses(of user: Int64) throws {
    try execute("DELETE FROM recent_addresses WHERE user_id = \(user)")
  }
}
