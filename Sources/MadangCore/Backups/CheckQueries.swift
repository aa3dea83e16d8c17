import Storage

// Largest number of findings that one check returns. One fault may be in every row, and the first findings already show it.
let findingLimit = 100

extension Transaction {
  func integrityFindings(_ dialect: Dialect) throws -> [Finding] {
    guard let probe = dialect.integrityProbe else { return [] }
    return try all(probe) { row in
      Finding(
        kind: .database, subject: "database", problem: try row.get("problem"),
        cure: "restore the newest backup for which 'admin check --backup' reports no problem")
    }
  }

  /// Rows that refer to missing rows.
  func referenceFindings(of table: Schema.Table) throws -> [Finding] {
    try table.references.flatMap { reference in
      let isSet = reference.columns.map { "c.\($0.column) IS NOT NULL" }.joined(separator: " AND ")
      let isSame = reference.columns.map { "p.\($0.target) = c.\($0.column)" }.joined(separator: " AND ")
      let (column, count): (String, Int) = try one(
        """
        SELECT COUNT(*) AS number FROM \(raw: table.name) c
        WHERE \(raw: isSet) AND NOT EXISTS (SELECT 1 FROM \(raw: reference.table) p WHERE \(raw: isSame))
        """
      ) { (reference.columns.map(\.column).joined(separator: ", "), try $0.get("number")) }
      guard count > 0 else { return [Finding]() }
      return [
        Finding(
          kind: .reference, subject: "\(table.name).\(column)",
          problem: "\(count) rows refer to missing rows of \(reference.table)",
          cure: "restore a backup; another program than madang changed the database")
      ]
    }
  }

  /// Tables that would give a number a second time.
  func numberFindings(of table: String, _ dialect: Dialect) throws -> [Finding] {
    let last = try lastNumber(of: table, dialect) ?? 0
    let highest: Int64 = try one("SELECT COALESCE(MAX(id), 0) AS number FROM \(raw: table)") { try $0.get("number") }
    guard highest > last else { return [] }
    return [
      Finding(
        kind: .number, subject: table,
        problem: "has the row \(highest), but the next number is \(last &+ 1)",
        cure: dialect.countOn(table, after: highest).map(\.text).joined(separator: "; ")
          + " with '\(table)' and \(highest)")
    ]
  }

  func coinFindings() throws -> [Finding] {
    try all(
      """
      SELECT u.id, u.coins, CAST(COALESCE(e.total, 0) AS BIGINT) AS total
      FROM users u LEFT JOIN (SELECT user_id, SUM(amount) AS total FROM coin_entries GROUP BY user_id) e ON e.user_id = u.id
      WHERE u.coins <> COALESCE(e.total, 0) ORDER BY u.id LIMIT \(findingLimit)
      """
    ) { row in
      let (user, coins, total) = try (
        row.get("id", as: Int64.self), row.get("coins", as: Int64.self), row.get("total", as: Int64.self)
      )
      return Finding(
        kind: .coins, subject: "account \(user)", problem: "has \(coins) coins, but its ledger sums up to \(total)",
        cure: "find out which is right, in coin_entries; then set users.coins, or enter the difference")
    }
  }

  /// Chats whose number of files differs from the number of their attachments.
  func attachmentFindings() throws -> [Finding] {
    try all(
      """
      SELECT c.id, c.room_id, c.file_count, f.number FROM chats c
      JOIN (SELECT chat_id, COUNT(*) AS number FROM chat_files GROUP BY chat_id) f ON f.chat_id = c.id
      WHERE c.file_count <> f.number AND \(sql: Self.isVisible)
      UNION ALL
      SELECT c.id, c.room_id, c.file_count, 0 AS number FROM chats c
      WHERE c.file_count > 0 AND NOT EXISTS (SELECT 1 FROM chat_files f WHERE f.chat_id = c.id) AND \(sql: Self.isVisible)
      LIMIT \(findingLimit)
      """
    ) { row in
      let (chat, room) = try (row.get("id", as: Int64.self), row.get("room_id", as: Int64.self))
      let (told, there) = try (row.get("file_count", as: Int.self), row.get("number", as: Int.self))
      return Finding(
        kind: .room, subject: "room \(room)",
        problem: "chat \(chat) should have \(told) files, but \(there) are attached",
        cure: "restore a backup; another program than madang changed the database")
    }
  }

  /// Excludes deleted places, whose rows are removed page by page.
  private static let isVisible: SQL = """
    EXISTS (SELECT 1 FROM rooms r JOIN workspaces w ON w.id = r.workspace_id
      WHERE r.id = c.room_id AND r.deleted_at IS NULL AND w.deleted_at IS NULL)
    """

  /// Rooms whose chats are not numbered without gaps, or not in the order of their dates, and the same for the chats of each author. Chats
  /// that retention deleted do not count.
  func roomFindings() throws -> [Finding] {
    var scan = RoomScan()
    try forEach(
      """
      SELECT r.id, r.last_seq, r.last_chat_at, r.cleared_seq, c.seq, c.created_at, c.author_id, c.author_ordinal
      FROM rooms r JOIN workspaces w ON w.id = r.workspace_id LEFT JOIN chats c ON c.room_id = r.id
      WHERE r.deleted_at IS NULL AND w.deleted_at IS NULL ORDER BY r.id, c.seq
      """
    ) { try scan.take($0) }
    return scan.end().prefix(findingLimit).map { room, problem in
      Finding(
        kind: .room, subject: "room \(room)", problem: problem,
        cure: "restore a backup; another program than madang changed the database")
    }
  }
}

/// Reads the chats of room after room, and keeps the first problem of each room.
private struct RoomScan {
  private var room: Int64?
  private var expected: (seq: Int64, date: Int64) = (0, 0)
  private var last: (seq: Int64, date: Int64) = (0, 0)
  private var ordinals: [Int64: Int64] = [:]
  /// Whether retention has deleted the first chats.
  private var isCleared = false
  private var problem: String?
  private var problems: [(room: Int64, problem: String)] = []

  mutating func take(_ row: Row) throws {
    let id: Int64 = try row.get("id")
    if id != room {
      endRoom()
      (room, last, ordinals) = (id, (0, 0), [:])
      expected = (try row.get("last_seq"), try row.get("last_chat_at"))
      last.seq = try row.get("cleared_seq")
      isCleared = last.seq > 0
    }
    guard let seq: Int64 = try row.get("seq"), let date: Int64 = try row.get("created_at"),
      let author: Int64 = try row.get("author_id"), let ordinal: Int64 = try row.get("author_ordinal")
    else { return }
    if seq != last.seq &+ 1 {
      note("chat \(seq) comes after chat \(last.seq)")
    } else if date <= last.date {
      note("chat \(seq) is not later than the one before it")
    } else if ordinal != ordinals[author, default: isCleared ? ordinal &- 1 : 0] &+ 1 {
      note("chat \(seq) is its author's number \(ordinal), after number \(ordinals[author, default: 0])")
    }
    last = (seq, date)
    ordinals[author] = ordinal
  }

  mutating func end() -> [(room: Int64, problem: String)] {
    endRoom()
    room = nil
    return problems
  }

  private mutating func note(_ text: String) { problem = problem ?? text }

  private mutating func endRoom() {
    guard let room else { return }
    if last.seq != expected.seq { note("its last chat is \(last.seq), but its row says \(expected.seq)") }
    if last.date > 0, last.date != expected.date {
      note("its last chat is of \(last.date), but its row says \(expected.date)")
    }
    if let problem, problems.count < findingLimit { problems.append((room, problem)) }
    problem = nil
  }
}
