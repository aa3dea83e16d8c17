import Storage

extension Transaction {
  /// Has a row while the database is in read-only mode.
  static let readOnlyTable: SQL = "read_only_mode"

  func readOnlyMode() throws -> ReadOnlyMode? {
    try first("SELECT since, reason FROM read_only_mode", ReadOnlyMode.init)
  }

  func beginReadOnlyMode(reason: String, now: Int64) throws -> ReadOnlyMode {
    try one(
      """
      INSERT INTO read_only_mode (id, since, reason) VALUES (1, \(now), \(reason))
      ON CONFLICT (id) DO UPDATE SET
        reason = CASE WHEN excluded.reason = '' THEN read_only_mode.reason ELSE excluded.reason END
      RETURNING since, reason
      """, ReadOnlyMode.init)
  }

  @discardableResult
  func endReadOnlyMode() throws -> ReadOnlyMode? {
    try first("DELETE FROM read_only_mode RETURNING since, reason", ReadOnlyMode.init)
  }
}

extension ReadOnlyMode {
  fileprivate init(_ row: Row) throws { self.init(since: try row.get("since"), reason: try row.get("reason")) }
}
