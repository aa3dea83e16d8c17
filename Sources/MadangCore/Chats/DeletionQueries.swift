import Storage

extension Transaction {
  /// Rooms first; at most `limit` rooms and `limit` workspaces.
  func deletedPlaces(limit: Int) throws -> [DeletedPlace] {
    try all(Self.deletedRooms(limit: limit)) { DeletedPlace.room(try $0.get("id")) }
      + all(Self.deletedWorkspaces(limit: limit)) { DeletedPlace.workspace(try $0.get("id")) }
  }

  /// Ordered like the index `rooms_deleted`: any other order would read all rooms.
  static func deletedRooms(limit: Int) -> SQL {
    """
    SELECT id FROM rooms r WHERE deleted_at IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM workspaces w WHERE w.id = r.workspace_id AND w.held_at IS NOT NULL)
    ORDER BY deleted_at LIMIT \(limit)
    """
  }

  static func deletedWorkspaces(limit: Int) -> SQL {
    """
    SELECT id FROM workspaces WHERE deleted_at IS NOT NULL AND held_at IS NULL ORDER BY deleted_at LIMIT \(limit)
    """
  }

  /// Deletes one page of rows of a deleted place, and the place itself last. Nil if the place is gone, is on hold, or is being cleared by
  /// another server.
  func clearPage(
    _ page: DeletionPage, of place: DeletedPlace, now: Int64
  ) throws -> (room: Int64, seq: Int64)? {
    switch place {
    case .room(let room):
      guard try lock(.rooms, where: "r.id = \(room) AND r.deleted_at IS NOT NULL") == 1,
        let workspace = try workspace(ofRoom: room), try mayDelete(from: workspace)
      else { return nil }
      return try clearRoom(room, page, now: now)
    case .workspace(let workspace):
      guard try lock(.workspaces, where: "w.id = \(workspace) AND w.deleted_at IS NOT NULL") == 1,
        try mayDelete(from: workspace)
      else { return nil }
      let room: Int64? = try first("SELECT id FROM rooms WHERE workspace_id = \(workspace) LIMIT 1") {
        try $0.get("id")
      }
      if let room { return try clearRoom(room, page, now: now) }
      try clearWorkspace(workspace, limit: page.rows)
      return (0, 0)
    }
  }

  private func clearRoom(_ room: Int64, _ page: DeletionPage, now: Int64) throws -> (room: Int64, seq: Int64) {
    let known = page.cleared.room == room ? page.cleared.seq : 0
    return (room, try clearRoom(room, after: known, now: now, limit: page.rows))
  }

  /// Rows that depend on the room go first, so that no statement deletes many rows by cascade. Returns the `seq` up to which its chats are
  /// deleted.
  private func clearRoom(_ room: Int64, after seq: Int64, now: Int64, limit: Int) throws -> Int64 {
    guard try retireFiles(ofRoom: room, due: now, limit: limit) == 0 else { return seq }
    let last: Int64 = try one("SELECT last_seq FROM rooms WHERE id = \(room)") { try $0.get("last_seq") }
    if seq < last {
      let end = min(last, seq + Int64(limit))
      try execute("DELETE FROM chats WHERE room_id = \(room) AND seq > \(seq) AND seq <= \(end)")
      return end
    }
    let members = try execute(
      """
      DELETE FROM channel_members WHERE room_id = \(room)
        AND user_id IN (SELECT m.user_id FROM channel_members m WHERE m.room_id = \(room) LIMIT \(limit))
      """)
    guard members == 0 else { return last }
    let cover: String? = try first("SELECT cover_image FROM channels WHERE room_id = \(room)") {
      try $0.get("cover_image")
    }.flatMap(\.self)
    try retire(cover, due: now)
    try execute("DELETE FROM rooms WHERE id = \(room)")
    return last
  }

  /// Deletes the members, then the workspace; its rooms must be gone.
  private func clearWorkspace(_ workspace: Int64, limit: Int) throws {
    let members = try execute(
      """
      DELETE FROM workspace_members WHERE workspace_id = \(workspace)
        AND user_id IN (SELECT m.user_id FROM workspace_members m WHERE m.workspace_id = \(workspace) LIMIT \(limit))
      """)
    guard members == 0 else { return }
    try execute("DELETE FROM workspaces WHERE id = \(workspace)")
  }
}
