import Storage

/// A room with chats or files that are too old, and the times before which they are deleted.
struct ExpiringRoom {
  let room: Int64
  let chatsBefore: Int64?
  let filesBefore: Int64?
}

extension Transaction {
  func setRetention(_ days: RetentionDays, of workspace: Int64) throws {
    try execute("UPDATE workspaces SET chat_days = \(days.chats), file_days = \(days.files) WHERE id = \(workspace)")
  }

  /// Whether that changed anything. A hold that is on already keeps its time.
  func setHold(_ since: Int64?, of workspace: Int64) throws -> Bool {
    guard let since else {
      return try execute("UPDATE workspaces SET held_at = NULL WHERE id = \(workspace) AND held_at IS NOT NULL") == 1
    }
    return try execute("UPDATE workspaces SET held_at = \(since) WHERE id = \(workspace) AND held_at IS NULL") == 1
  }

  /// Locks a workspace until COMMIT for a permanent deletion; a legal hold that starts now waits until then. False if the workspace is on
  /// hold.
  func mayDelete(from workspace: Int64) throws -> Bool {
    try lock(.workspaces, where: "w.id = \(workspace) AND w.held_at IS NULL") == 1
  }

  /// Searches a page of rooms, ordered by number, for chats or files that are too old. Returns the rooms that have some, and the page's
  /// last room, or nil if no room follows. Costs two index probes per room.
  /// - Parameter workspace: Only rooms of this workspace; nil for all.
  func expiringRooms(
    after room: Int64, in workspace: Int64?, defaults: (chats: Int, files: Int), now: Int64, limit: Int
  ) throws -> (expiring: [ExpiringRoom], last: Int64?) {
    let rows = try all(
      Self.roomsWithAge(after: room, in: workspace, defaults: defaults, now: now, limit: limit)
    ) { row in
      let chatsBefore: Int64? = try row.get("chats_before")
      let filesBefore: Int64? = try row.get("files_before")
      let isOld = { (column: String, before: Int64?) throws -> Bool in
        guard let before, let oldest = try row.get(column, as: Int64?.self) else { return false }
        return oldest < before
      }
      let isExpiring = try isOld("oldest_chat", chatsBefore) || isOld("oldest_file", filesBefore)
      return (
        room: ExpiringRoom(room: try row.get("room"), chatsBefore: chatsBefore, filesBefore: filesBefore),
        isExpiring: isExpiring
      )
    }
    return (rows.filter(\.isExpiring).map(\.room), rows.count == limit ? rows.last?.room.room : nil)
  }

  static func roomsWithAge(
    after room: Int64, in workspace: Int64?, defaults: (chats: Int, files: Int), now: Int64, limit: Int
  ) -> SQL {
    let day: Int64 = 24 * 3_600_000
    let ofWorkspace: SQL = workspace.map { "AND workspace_id = \($0)" } ?? ""
    let isThere: SQL = "r.deleted_at IS NULL AND w.deleted_at IS NULL AND w.held_at IS NULL"
    return """
      SELECT p.room, p.chats_before, p.files_before,
        CASE WHEN p.chats_before IS NOT NULL THEN (SELECT MIN(c.created_at) FROM chats c WHERE c.room_id = p.room) END
          AS oldest_chat,
        CASE WHEN p.files_before IS NOT NULL THEN (SELECT MIN(f.created_at) FROM files f WHERE f.room_id = p.room) END
          AS oldest_file
      FROM (
        SELECT r.id AS room,
          CASE WHEN \(sql: isThere) AND COALESCE(w.chat_days, \(defaults.chats)) > 0
            THEN \(now) - COALESCE(w.chat_days, \(defaults.chats)) * \(day) END AS chats_before,
          CASE WHEN \(sql: isThere) AND COALESCE(w.file_days, \(defaults.files)) > 0
            THEN \(now) - COALESCE(w.file_days, \(defaults.files)) * \(day) END AS files_before
        FROM (SELECT id, workspace_id, deleted_at FROM rooms WHERE id > \(room) \(sql: ofWorkspace)
          ORDER BY id LIMIT \(limit)) AS r
        JOIN workspaces w ON w.id = r.workspace_id
      ) AS p ORDER BY p.room
      """
  }

  /// Workspaces whose own retention deletes chats or files, ordered by number.
  func workspacesWithRetention(after number: Int64, limit: Int) throws -> [Int64] {
    try all(Self.workspacesWithRetention(after: number, limit: limit)) { try $0.get("id") }
  }

  /// Uses the index `workspaces_with_retention`.
  static func workspacesWithRetention(after number: Int64, limit: Int) -> SQL {
    "SELECT id FROM workspaces WHERE (chat_days > 0 OR file_days > 0) AND id > \(number) ORDER BY id LIMIT \(limit)"
  }

  /// Deletes up to `limit` of a room's oldest chats with their files, and returns how many. The room remembers how far.
  func deleteChats(of room: Int64, before time: Int64, now: Int64, limit: Int) throws -> Int {
    guard try mayExpire(room) else { return 0 }
    let last: Int64? = try first(
      """
      SELECT MAX(seq) AS seq FROM
        (SELECT seq FROM chats WHERE room_id = \(room) AND created_at < \(time) ORDER BY created_at LIMIT \(limit)) AS old
      """
    ) { try $0.get("seq") }.flatMap(\.self)
    guard let last else { return 0 }
    let paths: [String] = try all(
      """
      SELECT f.path FROM chats c JOIN chat_files a ON a.chat_id = c.id JOIN files f ON f.id = a.file_id
      WHERE c.room_id = \(room) AND c.seq <= \(last)
      """
    ) { try $0.get("path") }
    try retireFiles(paths, due: now)
    // Authors whose first chat is deleted are still recorded as having written here.
    try execute(
      """
      INSERT INTO former_authors (user_id, room_id)
      SELECT author_id, room_id FROM chats WHERE room_id = \(room) AND seq <= \(last) AND author_ordinal = 1
      ON CONFLICT (user_id, room_id) DO NOTHING
      """)
    try execute("UPDATE rooms SET cleared_seq = \(last) WHERE id = \(room)")
    return try execute("DELETE FROM chats WHERE room_id = \(room) AND seq <= \(last)")
  }

  /// Deletes up to `limit` of a room's oldest files, and returns how many. A chat that becomes empty gets `text`.
  func deleteFiles(of room: Int64, before time: Int64, text: String, now: Int64, limit: Int) throws -> Int {
    guard try mayExpire(room) else { return 0 }
    let old = try all(
      """
      SELECT f.path, a.chat_id FROM
        (SELECT id, path FROM files WHERE room_id = \(room) AND created_at < \(time) ORDER BY created_at LIMIT \(limit)) AS f
      LEFT JOIN chat_files a ON a.file_id = f.id
      """
    ) { (path: try $0.get("path") as String, chat: try $0.get("chat_id") as Int64?) }
    try retireFiles(old.map(\.path), due: now)
    let chats = Array(Set(old.compactMap(\.chat)))
    guard !chats.isEmpty else { return old.count }
    try execute(
      """
      UPDATE chats SET file_count = (SELECT COUNT(*) FROM chat_files a WHERE a.chat_id = chats.id)
      WHERE id IN (\(list: chats))
      """)
    try execute(
      "UPDATE chats SET content = \(text) WHERE id IN (\(list: chats)) AND file_count = 0 AND TRIM(content) = ''")
    return old.count
  }

  /// Locks a room and its workspace until COMMIT. Whether both exist and are not on legal hold.
  private func mayExpire(_ room: Int64) throws -> Bool {
    guard try lock(.rooms, where: "r.id = \(room) AND r.deleted_at IS NULL") == 1,
      let workspace = try workspace(ofRoom: room)
    else { return false }
    return try mayDelete(from: workspace)
  }
}
