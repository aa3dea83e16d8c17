import Storage

extension Madang {
  /// Clears up what deleted rooms and workspaces left, a page at a time: no other write waits for more than a page. What
  /// is cut off goes on with the next call.
  package func clearDeleted() async throws {
    var page = DeletionPage()
    while true {
      let step = try await database.write { [now = clock.now, page] transaction in
        let start = ContinuousClock.now
        let cleared = try transaction.clearPage(page, now: now)
        return cleared.map { (cleared: $0, duration: ContinuousClock.now - start) }
      }
      guard let step else { return }
      switch step.cleared {
      case .some: page.adapt(to: step.duration)
      case .chats(let seq):
        page.adapt(to: step.duration)
        page.clear(upTo: seq)
      case .unknown(let room):
        guard let found = try await lookInto(room) else { return }
        page.room = found
      }
      // Others have the writer for as long.
      try await Task.sleep(for: step.duration)
    }
  }

  /// Finds which chats a room has. PostgreSQL walks all that were deleted before it, and forgets them on the way, unless
  /// somebody's long transaction may still see them. A writer that has to walk as well is not to be kept that long: nil then,
  /// if the room has none left; its last row waits for a later call.
  private func lookInto(_ room: Int64) async throws -> DeletionPage.Room? {
    for attempt in 0..<3 {
      if attempt > 0 { try await Task.sleep(for: .seconds(1)) }
      let (chats, duration) = try await database.read { transaction in
        let start = ContinuousClock.now
        return (try transaction.chats(of: room), ContinuousClock.now - start)
      }
      if chats != nil || duration < DeletionPage.longest { return DeletionPage.Room(id: room, chats: chats) }
    }
    return nil
  }
}

/// What a page took of a deleted place.
private enum Cleared {
  /// The chats of the page's room up to this `seq`.
  case chats(upTo: Int64)
  /// Nothing: which chats this room has is to be looked up first.
  case unknown(room: Int64)
  case some
}

/// How many rows are deleted at a time: as many as take ``DeletionPage/target`` on this machine.
private struct DeletionPage {
  static let target = Duration.milliseconds(5)
  /// What no write is to wait for.
  static let longest = Duration.milliseconds(20)
  static let limits = 20...2000

  /// What a long transaction of others keeps from being forgotten is not walked again for each page.
  struct Room {
    let id: Int64
    /// From which `seq` to which it has chats; nil if none.
    let chats: ClosedRange<Int64>?
  }

  private(set) var rows = 100
  /// The room whose chats are being deleted; nil if what it has is to be looked up.
  var room: Room?

  mutating func clear(upTo seq: Int64) {
    guard let room, let last = room.chats?.upperBound else { return }
    self.room = seq < last ? Room(id: room.id, chats: seq + 1...last) : nil
  }

  mutating func adapt(to duration: Duration) {
    let factor = min(2, max(0.25, Self.target / max(duration, .microseconds(1))))
    rows = min(Self.limits.upperBound, max(Self.limits.lowerBound, Int(Double(rows) * factor)))
  }
}

extension Transaction {
  /// Deletes some of the rows that nobody can see any more. Nil when there are none left, or another server is at them.
  fileprivate func clearPage(_ page: DeletionPage, now: Int64) throws -> Cleared? {
    if let room = try takeDeleted("rooms") { return try clearRoom(room, page, now: now) }
    guard let workspace = try takeDeleted("workspaces") else { return nil }
    try clearWorkspace(workspace, now: now, limit: page.rows)
    return .some
  }

  /// A place that was deleted, its row held until COMMIT: of two servers, one clears it at a time.
  private func takeDeleted(_ table: StaticString) throws -> Int64? {
    try first(
      """
      UPDATE \(raw: "\(table)") SET deleted_at = deleted_at WHERE id =
        (SELECT d.id FROM \(raw: "\(table)") d WHERE d.deleted_at IS NOT NULL ORDER BY d.deleted_at, d.id LIMIT 1)
      RETURNING id
      """
    ) { try $0.get("id") }
  }

  /// From which `seq` to which a room has chats; nil if none.
  fileprivate func chats(of room: Int64) throws -> ClosedRange<Int64>? {
    func end(_ order: StaticString) throws -> Int64? {
      try first("SELECT seq FROM chats WHERE room_id = \(room) ORDER BY seq \(raw: "\(order)") LIMIT 1") {
        try $0.get("seq")
      }
    }
    guard let first = try end("ASC"), let last = try end("DESC") else { return nil }
    return first...last
  }

  /// What depends on the room goes first, so that no statement takes many rows along.
  private func clearRoom(_ room: Int64, _ page: DeletionPage, now: Int64) throws -> Cleared {
    let limit = page.rows
    guard try retireFiles(ofRoom: room, due: now, limit: limit) == 0 else { return .some }
    guard let known = page.room, known.id == room else { return .unknown(room: room) }
    if let chats = known.chats {
      let end = min(chats.upperBound, chats.lowerBound + Int64(limit) - 1)
      try execute("DELETE FROM chats WHERE room_id = \(room) AND seq BETWEEN \(chats.lowerBound) AND \(end)")
      return .chats(upTo: end)
    }
    let members = try execute(
      """
      DELETE FROM channel_members WHERE room_id = \(room)
        AND user_id IN (SELECT m.user_id FROM channel_members m WHERE m.room_id = \(room) LIMIT \(limit))
      """)
    guard members == 0 else { return .some }
    let cover: String?? = try first("SELECT cover_image FROM channels WHERE room_id = \(room)") {
      try $0.get("cover_image")
    }
    try retire(cover ?? nil, due: now)
    try execute("DELETE FROM rooms WHERE id = \(room)")
    return .some
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
