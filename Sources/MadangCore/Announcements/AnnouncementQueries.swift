import Storage

extension Transaction {
  /// Inserts an announcement without channels and returns its number.
  func insertAnnouncement(_ content: String, author: Int64, now: Int64) throws -> Int64 {
    try one(
      """
      INSERT INTO announcements (content, author_id, created_at, rooms) VALUES (\(content), \(author), \(now), 0)
      \(sql: .returningID)
      """
    ) { try $0.get("id") }
  }

  /// Adds the default channels of a page of workspaces, ordered by number, to an announcement. Returns the page's last workspace; nil if
  /// the page was the last, or if the announcement was cancelled.
  /// - Parameters:
  ///   - last: The page starts after this workspace.
  ///   - newest: The page ends with this workspace at the latest.
  func addRooms(to announcement: Int64, after last: Int64, through newest: Int64, limit: Int) throws -> Int64? {
    let isOpen: Int64? = try first(
      "SELECT id FROM announcements WHERE id = \(announcement) AND cancelled_at IS NULL"
    ) { try $0.get("id") }
    let page: [Int64] = try all(
      "SELECT id FROM workspaces WHERE id > \(last) AND id <= \(newest) ORDER BY id LIMIT \(limit)"
    ) { try $0.get("id") }
    guard isOpen != nil, !page.isEmpty else { return nil }
    let rooms = try execute(
      """
      INSERT INTO announcement_rooms (announcement_id, room_id)
      SELECT \(announcement), c.room_id FROM channels c JOIN workspaces w ON w.id = c.workspace_id
      WHERE c.workspace_id IN (\(list: page)) AND c.is_default = \(true) AND w.deleted_at IS NULL
      """)
    try execute("UPDATE announcements SET rooms = rooms + \(rooms) WHERE id = \(announcement)")
    return page.count == limit ? page.last : nil
  }

  func newestWorkspace() throws -> Int64 {
    try one("SELECT COALESCE(MAX(id), 0) AS newest FROM workspaces") { try $0.get("newest") }
  }

  func deleteAnnouncement(_ id: Int64) throws { try execute("DELETE FROM announcements WHERE id = \(id)") }

  func announcement(_ id: Int64) throws -> Announcement {
    guard let found = try announcements("a.id = \(id)", limit: 1).first else { throw UnexpectedlyEmpty() }
    return found
  }

  /// One page of announcements, ordered by number.
  func announcements(after number: Int64, limit: Int) throws -> [Announcement] {
    try announcements("a.id > \(number)", limit: limit)
  }

  /// One page of announcements, the newest first.
  func announcements(before number: Int64, limit: Int) throws -> [Announcement] {
    try announcements("a.id < \(number)", order: "a.id DESC", limit: limit)
  }

  private func announcements(_ condition: SQL, order: SQL = "a.id", limit: Int) throws -> [Announcement] {
    try all(
      """
      SELECT a.id, a.content, a.created_at, a.rooms, a.cancelled_at, u.email,
        (SELECT COUNT(*) FROM announcement_rooms r WHERE r.announcement_id = a.id) AS waiting
      FROM announcements a JOIN users u ON u.id = a.author_id WHERE \(sql: condition) ORDER BY \(sql: order) LIMIT \(limit)
      """, Announcement.init)
  }

  func nextAnnouncementRoom() throws -> AnnouncementRoom? {
    try first(
      "SELECT announcement_id, room_id FROM announcement_rooms ORDER BY announcement_id, room_id LIMIT 1"
    ) { AnnouncementRoom(announcement: try $0.get("announcement_id"), room: try $0.get("room_id")) }
  }

  /// Claims the post of an announcement in a channel, and returns its text and author. Nil if another server has posted it, or if it was
  /// cancelled.
  nonisolated(nonsending) func take(_ room: AnnouncementRoom) async throws -> (content: String, author: Person)? {
    let isTaken = try await pipelined(
      "DELETE FROM announcement_rooms WHERE announcement_id = \(room.announcement) AND room_id = \(room.room)")
    guard isTaken.count == 1 else { return nil }
    return try first(
      """
      SELECT a.content, \(sql: Person.columns) FROM announcements a JOIN users u ON u.id = a.author_id
      WHERE a.id = \(room.announcement) AND a.cancelled_at IS NULL
      """
    ) { (try $0.get("content"), try Person($0)) }
  }

  /// False if nothing was left to post. Call ``deleteRooms(ofCancelled:limit:)`` afterwards.
  func cancelAnnouncement(_ id: Int64, now: Int64) throws -> Bool {
    try execute(
      """
      UPDATE announcements SET cancelled_at = \(now) WHERE id = \(id) AND cancelled_at IS NULL
        AND EXISTS (SELECT 1 FROM announcement_rooms r WHERE r.announcement_id = \(id))
      """) == 1
  }

  /// Deletes up to `limit` channels of a cancelled announcement, and returns how many.
  func deleteRooms(ofCancelled announcement: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM announcement_rooms WHERE announcement_id = \(announcement) AND room_id IN
        (SELECT room_id FROM announcement_rooms WHERE announcement_id = \(announcement) ORDER BY room_id LIMIT \(limit))
      """)
  }

  /// Deletes up to `limit` old announcements that have nothing left to post, and returns how many.
  func deleteAnnouncements(before time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM announcements WHERE id IN
        (SELECT a.id FROM announcements a WHERE a.created_at < \(time)
          AND NOT EXISTS (SELECT 1 FROM announcement_rooms r WHERE r.announcement_id = a.id) ORDER BY a.id LIMIT \(limit))
      """)
  }
}
