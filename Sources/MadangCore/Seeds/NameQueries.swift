import Storage

extension Transaction {
  /// Ordered by number.
  /// - Parameter start: In the form of ``TextRules/emailKey(_:)``.
  func people(emailBeginsWith start: String, limit: Int) throws -> [Person] {
    try all(
      """
      SELECT \(sql: Person.columns) FROM users u
      WHERE substr(u.email_key, 1, CAST(\(start.unicodeScalars.count) AS INTEGER)) = \(start) ORDER BY u.id LIMIT \(limit)
      """, Person.init)
  }

  /// The workspace with this name, or else with this number or id.
  func workspace(named name: String) throws -> Workspace? {
    try first(
      """
      SELECT \(sql: Workspace.columns) FROM workspaces w
      WHERE (w.name = \(name) OR w.uuid = \(name) OR w.id = \(Int64(name) ?? 0)) AND w.deleted_at IS NULL
      ORDER BY CASE WHEN w.name = \(name) THEN 0 ELSE 1 END LIMIT 1
      """, Workspace.init)
  }

  func channel(named name: String, in workspace: Int64) throws -> Channel? {
    try first(
      """
      SELECT \(sql: Channel.columns) FROM channels c JOIN rooms r ON r.id = c.room_id
      WHERE c.workspace_id = \(workspace) AND c.name = \(name) AND r.deleted_at IS NULL
      """, Channel.init)
  }

  /// The oldest come first.
  func workspaceNames(limit: Int) throws -> [String] {
    try all("SELECT name FROM workspaces WHERE deleted_at IS NULL ORDER BY id LIMIT \(limit)") { try $0.get("name") }
  }

  /// The oldest come first.
  func channelNames(in workspace: Int64, limit: Int) throws -> [String] {
    try all(
      """
      SELECT c.name FROM channels c JOIN rooms r ON r.id = c.room_id
      WHERE c.workspace_id = \(workspace) AND r.deleted_at IS NULL ORDER BY r.id LIMIT \(limit)
      """
    ) { try $0.get("name") }
  }

  /// The oldest workspace that both belong to.
  func workspace(sharedBy one: Int64, and other: Int64) throws -> Workspace? {
    try first(
      """
      SELECT \(sql: Workspace.columns) FROM workspaces w
      JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = \(one)
      JOIN workspace_members o ON o.workspace_id = w.id AND o.user_id = \(other)
      WHERE w.deleted_at IS NULL ORDER BY w.id LIMIT 1
      """, Workspace.init)
  }

  func isDirectMessage(_ room: Int64, of one: Int64, and other: Int64) throws -> Bool {
    try first(
      """
      SELECT 1 AS found FROM direct_messages
      WHERE room_id = \(room) AND low_user_id = \(min(one, other)) AND high_user_id = \(max(one, other))
      """
    ) { _ in true } ?? false
  }

  func person(_ number: Int64) throws -> Person? {
    try first("SELECT \(sql: Person.columns) FROM users u WHERE u.id = \(number)", Person.init)
  }

  /// One page of accounts, ordered by number.
  func people(after number: Int64, limit: Int) throws -> [Person] {
    try all(
      "SELECT \(sql: Person.columns) FROM users u WHERE u.id > \(number) ORDER BY u.id LIMIT \(limit)", Person.init)
  }

  /// The oldest workspace of each account comes first.
  func workspaceNames(ofPeopleAfter first: Int64, through last: Int64) throws -> [Int64: [String]] {
    let memberships = try all(
      """
      SELECT m.user_id, w.name FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
      WHERE m.user_id > \(first) AND m.user_id <= \(last) AND w.deleted_at IS NULL ORDER BY w.id
      """
    ) { (user: try $0.get("user_id") as Int64, name: try $0.get("name") as String) }
    return Dictionary(grouping: memberships, by: \.user).mapValues { $0.map(\.name) }
  }
}
