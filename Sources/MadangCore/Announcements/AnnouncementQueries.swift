import Storage

extension Transaction {
  /// The new announcement's number, or nil if there is no workspace to post it in.
  func insertAnnouncement(_ content: String, author: Int64, workspace: Int64?, now: Int64) throws -> Int64? {
    let id: Int64 = try one(
      """
      INSERT INTO announcements (content, author_id, created_at, rooms) VALUES (\(content), \(author), \(now), 0)
      \(sql: .returningID)
      """
    ) { try $0.get("id") }
    let place: SQL = workspace.map { "AND w.id = \($0)" } ?? ""
    let rooms = try execute(
      """
      INSERT INTO announcement_rooms (announcement_id, room_id)
      SELECT \(id), c.room_id FROM channels c JOIN workspaces w ON w.id = c.workspace_id
      WHERE c.is_default = \(true) AND w.deleted_at IS NULL \(sql: place)
      """)
    try execute("UPDATE announcements SET rooms = \(rooms) WHERE id = \(id)")
    return rooms == 0 ? nil : id
  }

  func announcement(_ id: Int64) throws -> Announcement {
    guard let found = try announcements("a.id = \(id)", limit: 1).first else { throw UnexpectedlyEmpty() }
    return found
  }

  /// By their numbers, those after one.
  func announcements(after number: Int64, limit: Int) throws -> [Announcement] {
    try announcements("a.id > \(number)", limit: limit)
  }

  private func announcements(_ condition: SQL, limit: Int) throws -> [Announcement] {
    try all(
      """
      SELECT a.id, a.content, a.created_at, a.rooms, a.cancelled_at, u.email,
        (SELECT COUNT(*) FROM announcement_rooms r WHERE r.announcement_id = a.id) AS waiting
      FROM announcements a JOIN users u ON u.id = a.author_id WHERE \(sql: condition) ORDER BY a.id LIMIT \(limit)
      """, Announcement.init)
  }

  func nextAnnouncementRoom() throws -> AnnouncementRoom? {
    try first(
      "SELECT announcement_id, room_id FROM announcement_rooms ORDER BY announcement_id, room_id LIMIT 1"
    ) { AnnouncementRoom(announcement: try $0.get("announcement_id"), room: try $0.get("room_id")) }
  }

  /// What is to be posted in a channel, and whose it is; nil if somebody else has done so, or it was cancelled.
  func take(_ room: AnnouncementRoom) throws -> (content: String, author: Person)? {
    let isTaken = try execute(
      "DELETE FROM announcement_rooms WHERE announcement_id = \(room.announcement) AND room_id = \(room.room)")
    guard isTaken == 1 else { return nil }
    return try first(
      """
      SELECT a.content, \(sql: Person.columns) FROM announcements a JOIN users u ON u.id = a.author_id
      WHERE a.id = \(room.announcement)
      """
    ) { (try $0.get("content"), try Person($0)) }
  }

  /// False if it waits nowhere.
  func cancelAnnouncement(_ id: Int64, now: Int64) throws -> Bool {
    guard try execute("DELETE FROM announcement_rooms WHERE announcement_id = \(id)") > 0 else { return false }
    try execute("UPDATE announcements SET cancelled_at = \(now) WHERE id = \(id)")
    return true
  }

  func deleteAnnouncements(before time: Int64) throws {
    try execute(
      """
      DELETE FROM announcements WHERE created_at < \(time)
        AND NOT EXISTS (SELECT 1 FROM announcement_rooms r WHERE r.announcement_id = announcements.id)
      """)
  }
}
