import Storage

extension Transaction {
  func statistics() throws -> Statistics {
    func count(_ what: SQL) throws -> Int {
      try one("SELECT CAST(\(sql: what) AS BIGINT) AS number") { try $0.get("number") }
    }
    let rooms: SQL =
      "rooms r JOIN workspaces w ON w.id = r.workspace_id WHERE r.deleted_at IS NULL AND w.deleted_at IS NULL"
    return Statistics(
      accounts: try count("(SELECT COUNT(*) FROM users WHERE deleted_at IS NULL)"),
      disabledAccounts: try count("(SELECT COUNT(*) FROM users WHERE disabled_at IS NOT NULL)"),
      sessions: try count("(SELECT COUNT(*) FROM sessions)"),
      workspaces: try count("(SELECT COUNT(*) FROM workspaces WHERE deleted_at IS NULL)"),
      channels: try count("(SELECT COUNT(*) FROM \(sql: rooms) AND r.kind = 'channel')"),
      directMessages: try count("(SELECT COUNT(*) FROM \(sql: rooms) AND r.kind = 'dm')"),
      chats: try count("(SELECT COALESCE(SUM(r.last_seq - r.cleared_seq), 0) FROM \(sql: rooms))"),
      files: try count("(SELECT COUNT(*) FROM files)"),
      fileBytes: try count("(SELECT COALESCE(SUM(size), 0) FROM files)"),
      coins: try count("(SELECT COALESCE(SUM(coins), 0) FROM users)"))
  }

  /// - Parameter user: Nil for the sessions of all accounts.
  func sessionRecords(of user: Int64?, after number: Int64, limit: Int) throws -> [SessionRecord] {
    let condition: SQL = user.map { "AND s.user_id = \($0)" } ?? ""
    return try all(
      """
      SELECT s.id, s.edition, s.created_at, s.last_used_at, s.address, s.device, u.email
      FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.id > \(number) \(sql: condition) ORDER BY s.id LIMIT \(limit)
      """
    ) { row in
      SessionRecord(
        id: try row.get("id"), email: try row.get("email"), edition: try row.get("edition"),
        createdAt: try row.get("created_at"), lastUsedAt: try row.get("last_used_at"), address: try row.get("address"),
        device: try row.get("device"))
    }
  }
}
