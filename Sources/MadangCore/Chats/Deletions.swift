import Storage

/// A room or workspace that was deleted, and whose rows are there.
package enum DeletedPlace: Hashable, Sendable {
  case room(Int64)
  case workspace(Int64)
}

extension Madang {
  /// How many deleted places are looked up at a time.
  private static let maxDeletedPlaces = 1000

  /// What is deleted and not cleared up, nor on legal hold: rooms first, each kind from its lowest number on; 1000 of each at most.
  package func deletedPlaces() async throws -> [DeletedPlace] {
    try await database.read { transaction in
      let rooms = try transaction.all(
        """
        SELECT id FROM rooms r WHERE deleted_at IS NOT NULL AND NOT EXISTS
          (SELECT 1 FROM workspaces w WHERE w.id = r.workspace_id AND w.held_at IS NOT NULL)
        ORDER BY id LIMIT \(Self.maxDeletedPlaces)
        """
      ) { DeletedPlace.room(try $0.get("id")) }
      return try rooms
        + transaction.all(
          """
          SELECT id FROM workspaces WHERE deleted_at IS NOT NULL AND held_at IS NULL
          ORDER BY id LIMIT \(Self.maxDeletedPlaces)
          """
        ) { DeletedPlace.workspace(try $0.get("id")) }
    }
  }

  /// Clears up what deleted rooms and workspaces left, a page at a time: no other write waits for more than a page. On
  /// PostgreSQL none waits at all: there the last row of a room takes longer, because all that was deleted and not forgotten
  /// yet is walked for it. What is cut off goes on with the next call.
  package func clearDeleted(_ places: [DeletedPlace]) async throws {
    var page = DeletionPage()
    for place in places {
      while true {
        let step = try await database.writeAside { [now = clock.now, page] transaction in
          let start = ContinuousClock.now
          let cleared = try transaction.clearPage(page, of: place, now: now)
          return cleared.map { (cleared: $0, duration: ContinuousClock.now - start) }
        }
        guard let step else { break }
        page.cleared = step.cleared
        page.adapt(to: step.duration)
        // Others have the writer for as long.
        try await Task.sleep(for: step.duration)
      }
    }
  }
}

/// How many rows are deleted at a time: as many as take ``DeletionPage/target`` on this machine.
struct DeletionPage {
  static let target = Duration.milliseconds(5)
  static let limits = 20...2000

  private(set) var rows = 100
  /// The room whose chats are being deleted, and up to which `seq` they are: what a long transaction of others keeps
  /// from being forgotten is not walked again for each page.
  var cleared = (room: Int64(0), seq: Int64(0))

  mutating func adapt(to duration: Duration) {
    let factor = min(2, max(0.25, Self.target / max(duration, .microseconds(1))))
    rows = min(Self.limits.upperBound, max(Self.limits.lowerBound, Int(Double(rows) * factor)))
  }
}

extension Transaction {
  /// Deletes some of the rows that nobody can see any more, and the place itself last. Nil when it is gone, or another server is
  /// at it.
  fileprivate func clearPage(
    _ page: DeletionPage, of place: DeletedPlace, now: Int64
  ) throws -> (room: Int64, seq: Int64)? {
    switch place {
    case .room(let room):
      guard try hold("rooms", room), let workspace = try workspace(ofRoom: room), try mayDelete(from: workspace) else {
        return nil
      }
      return try clearRoom(room, page, now: now)
    case .workspace(let workspace):
      guard try hold("workspaces", workspace), try mayDelete(from: workspace) else { return nil }
      let room: Int64? = try first("SELECT id FROM rooms WHERE workspace_id = \(workspace) LIMIT 1") {
        try $0.get("id")
      }
      if let room { return try clearRoom(room, page, now: now) }
      try clearWorkspace(workspace, limit: page.rows)
      return (0, 0)
    }
  }

  private func workspace(ofRoom room: Int64) throws -> Int64? {
    try first("SELECT workspace_id FROM rooms WHERE id = \(room)") { try $0.get("workspace_id") }
  }

  /// Holds the row of a deleted place until COMMIT: of two servers, one clears it at a time. False if there is none.
  private func hold(_ table: StaticString, _ id: Int64) throws -> Bool {
    try execute(
      "UPDATE \(raw: "\(table)") SET deleted_at = deleted_at WHERE id = \(id) AND deleted_at IS NOT NULL") > 0
  }

  private func clearRoom(_ room: Int64, _ page: DeletionPage, now: Int64) throws -> (room: Int64, seq: Int64) {
    let known = page.cleared.room == room ? page.cleared.seq : 0
    return (room, try clearRoom(room, after: known, now: now, limit: page.rows))
  }

  /// What depends on the room goes first, so that no statement takes many rows along. Answers up to which `seq` its
  /// chats are gone.
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
    let cover: String?? = try first("SELECT cover_image FROM channels WHERE room_id = \(room)") {
      try $0.get("cover_image")
    }
    try retire(cover ?? nil, due: now)
    try execute("DELETE FROM rooms WHERE id = \(room)")
    return last
  }

  /// Its members, then itself; it has no room any more.
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
