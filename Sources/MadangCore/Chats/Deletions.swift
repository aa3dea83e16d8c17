import Storage

extension Madang {
  /// Clears up what deleted rooms and workspaces left, a page at a time: no other write waits for more than a page. What
  /// is cut off goes on with the next call.
  package func clearDeleted() async throws {
    var page = DeletionPage()
    while true {
      let duration = try await database.write { [now = clock.now, limit = page.rows] transaction -> Duration? in
        let start = ContinuousClock.now
        guard try transaction.clearPage(now: now, limit: limit) else { return nil }
        return .now - start
      }
      guard let duration else { return }
      page.adapt(to: duration)
      // Others have the writer for as long.
      try await Task.sleep(for: duration)
    }
  }
}

/// How many rows are deleted at a time: as many as take ``DeletionPage/target`` on this machine.
struct DeletionPage {
  static let target = Duration.milliseconds(5)
  static let limits = 20...2000

  private(set) var rows = 100

  mutating func adapt(to duration: Duration) {
    let factor = min(2, max(0.25, Self.target / max(duration, .microseconds(1))))
    rows = min(Self.limits.upperBound, max(Self.limits.lowerBound, Int(Double(rows) * factor)))
  }
}

extension Transaction {
  /// Deletes some of the rows that nobody can see any more. False when there are none left.
  fileprivate func clearPage(now: Int64, limit: Int) throws -> Bool {
    if let room = try deleted("rooms") {
      try clearRoom(room, now: now, limit: limit)
    } else if let workspace = try deleted("workspaces") {
      try clearWorkspace(workspace, now: now, limit: limit)
    } else {
      return false
    }
    return true
  }

  private func deleted(_ table: StaticString) throws -> Int64? {
    try first(
      "SELECT id FROM \(raw: "\(table)") WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1"
    ) { try $0.get("id") }
  }

  /// What depends on the room goes first, so that no statement takes many rows along.
  private func clearRoom(_ room: Int64, now: Int64, limit: Int) throws {
    guard try retireFiles(ofRoom: room, due: now, limit: limit) == 0 else { return }
    let chats = try execute(
      """
      DELETE FROM chats WHERE id IN
        (SELECT c.id FROM chats c WHERE c.room_id = \(room) ORDER BY c.seq LIMIT \(limit))
      """)
    guard chats == 0 else { return }
    let members = try execute(
      """
      DELETE FROM channel_members WHERE room_id = \(room)
        AND user_id IN (SELECT m.user_id FROM channel_members m WHERE m.room_id = \(room) LIMIT \(limit))
      """)
    guard members == 0 else { return }
    let cover: String?? = try first("SELECT cover_image FROM channels WHERE room_id = \(room)") {
      try $0.get("cover_image")
    }
    try retire(cover ?? nil, due: now)
    try execute("DELETE FROM rooms WHERE id = \(room)")
  }

  /// Its rooms are deleted one after the other, then its members, then itself.
  private func clearWorkspace(_ workspace: Int64, now: Int64, limit: Int) throws {
    let rooms = try execute(
      """
      UPDATE rooms SET deleted_at = \(now)
      WHERE id IN (SELECT r.id FROM rooms r WHERE r.workspace_id = \(workspace) AND r.deleted_at IS NULL LIMIT \(limit))
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
