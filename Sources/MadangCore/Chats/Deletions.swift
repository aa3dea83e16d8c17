import Storage

extension Madang {
  /// Clears up what deleted rooms and workspaces left, a page at a time: no other write waits for more than a page. On
  /// PostgreSQL none waits at all: there the last row of a room takes longer, because all that was deleted and not forgotten
  /// yet is walked for it. What is cut off goes on with the next call.
  ///
  /// - Parameter moment: Only what was deleted by then; see ``newestDeletion()``.
  package func clearDeleted(upTo moment: Int64 = .max) async throws {
    var page = DeletionPage()
    while true {
      let step = try await database.writeAside { [now = clock.now, page] transaction in
        let start = ContinuousClock.now
        let cleared = try transaction.clearPage(page, deletedBy: moment, now: now)
        return cleared.map { (cleared: $0, duration: ContinuousClock.now - start) }
      }
      guard let step else { return }
      page.cleared = step.cleared
      page.adapt(to: step.duration)
      // Others have the writer for as long.
      try await Task.sleep(for: step.duration)
    }
  }
}

extension Madang {
  /// When the last of all that is deleted and not cleared up was: by the clock of the server that did it. Nil if there is none.
  package func newestDeletion() async throws -> Int64? {
    try await database.read { transaction in
      try transaction.first(
        """
        SELECT MAX(d.deleted_at) AS newest FROM (
          SELECT MAX(deleted_at) AS deleted_at FROM rooms WHERE deleted_at IS NOT NULL
          UNION ALL SELECT MAX(deleted_at) FROM workspaces WHERE deleted_at IS NOT NULL) AS d
        """
      ) { try $0.get("newest") as Int64? } ?? nil
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
  /// Deletes some of the rows that nobody can see any more. Nil when there are none left, or another server is at them.
  fileprivate func clearPage(
    _ page: DeletionPage, deletedBy moment: Int64, now: Int64
  ) throws -> (room: Int64, seq: Int64)? {
    if let room = try takeDeleted("rooms", by: moment) {
      let seq = try clearRoom(room, after: page.cleared.room == room ? page.cleared.seq : 0, now: now, limit: page.rows)
      return (room, seq)
    }
    guard let workspace = try takeDeleted("workspaces", by: moment) else { return nil }
    try clearWorkspace(workspace, deletedBy: min(moment, now), limit: page.rows)
    return (0, 0)
  }

  /// A place that was deleted, its row held until COMMIT: of two servers, one clears it at a time.
  private func takeDeleted(_ table: StaticString, by moment: Int64) throws -> Int64? {
    try first(
      """
      UPDATE \(raw: "\(table)") SET deleted_at = deleted_at WHERE id =
        (SELECT d.id FROM \(raw: "\(table)") d WHERE d.deleted_at <= \(moment) ORDER BY d.deleted_at, d.id LIMIT 1)
      RETURNING id
      """
    ) { try $0.get("id") }
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

  /// Its rooms are deleted one after the other, then its members, then itself.
  ///
  /// - Parameter moment: Given to its rooms, which nobody sees since it was deleted: all of them are taken before it.
  private func clearWorkspace(_ workspace: Int64, deletedBy moment: Int64, limit: Int) throws {
    let rooms = try execute(
      """
      UPDATE rooms SET deleted_at = \(moment)
      WHERE id IN
        (SELECT r.id FROM rooms r
        WHERE r.workspace_id = \(workspace) AND (r.deleted_at IS NULL OR r.deleted_at > \(moment)) LIMIT \(limit))
      """)
    guard rooms == 0 else { return }
    let members = try execute(
      """
      DELETE FROM workspace_members WHERE workspace_id = \(workspace)
        AND user_id IN (SELECT m.user_id FROM workspace_members m WHERE m.workspace_id = \(workspace) LIMIT \(limit))
      """)
    guard members == 0 else { return }
    try execute("DELETE FROM workspaces WHERE id = \(workspace)")
  }
}
