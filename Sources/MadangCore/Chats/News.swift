import Storage

/// What the database holds beyond what a server has delivered to its sockets, as of one moment: a change that was
/// committed before one of these chats is here as well.
package struct News: Sendable {
  package var changes: [LoggedChange] = []
  /// Of each room that has new chats.
  package var rooms: [RoomNews] = []
  /// Whether there are more changes.
  package var hasMoreChanges = false
}

/// A room's chats after a position, in order.
package struct RoomNews: Sendable {
  package let room: Int64
  /// After which they were asked for.
  package let asked: RoomPosition
  /// After which they are. Less than the `seq` of ``asked`` if the database has lost chats.
  package let after: Int64
  package let chats: [Chat]
  /// There is no further chat up to this `seq`, nor in front of it another one than delivered.
  package let through: Int64
  /// That chat; nil for none.
  package let last: RoomPosition.Mark?
  /// Whether there are chats after it.
  package let hasMore: Bool
}

extension Madang {
  /// What is new of these rooms after the position given for each, and which changes were noted after one or are among those
  /// that were missing. Where there are more changes than fit, they come first, without chats.
  package func news(of rooms: [Int64: RoomPosition], changesAfter number: Int64, missing: [Int64]) async throws -> News
  {
    let size = settings.newsPage
    return try await database.read { transaction in
      var news = News()
      news.changes = try transaction.changes(after: number, missing: missing, limit: size.changes)
      news.hasMoreChanges = news.changes.count == size.changes
      guard !news.hasMoreChanges else { return news }
      news.rooms = try transaction.rooms(rooms, size)
      return news
    }
  }

  /// The chats of one room after a position; nil if there are none.
  package func news(of room: Int64, after position: RoomPosition) async throws -> RoomNews? {
    let size = settings.newsPage
    return try await database.read { try $0.rooms([room: position], size).first }
  }

  /// The numbers of the latest changes: a server that starts has nobody to tell of them.
  package func latestChanges() async throws -> [Int64] {
    try await database.read { [size = settings.newsPage] in try $0.lastChanges(limit: size.gaps) }
  }
}

/// How much is read at a time to find out what is new.
package struct NewsPage: Sendable {
  package var rooms = 500
  /// Of one room.
  package var chats = 200
  /// Of all rooms: beyond it the next ones wait.
  package var allChats = 2000
  package var changes = 1000
  /// How many numbers of changes that are not there yet are looked for.
  package var gaps = 1000
}

extension Madang {
  /// The `seq` of the newest chat of each of these rooms that exist.
  package func lastSeqs(of rooms: Set<Int64>) async throws -> [Int64: Int64] {
    let (rooms, part) = (Array(rooms), NewsPage().rooms)
    return try await database.read { transaction in
      var seqs: [Int64: Int64] = [:]
      for start in stride(from: 0, to: rooms.count, by: part) {
        let asked = Array(rooms[start..<min(start + part, rooms.count)])
        let found = try transaction.all(
          "SELECT id, last_seq FROM rooms WHERE id IN (\(list: asked)) AND deleted_at IS NULL"
        ) { (room: try $0.get("id") as Int64, seq: try $0.get("last_seq") as Int64) }
        for (room, seq) in found { seqs[room] = seq }
      }
      return seqs
    }
  }
}

extension Transaction {
  fileprivate func rooms(_ positions: [Int64: RoomPosition], _ size: NewsPage) throws -> [RoomNews] {
    let asked = Array(positions)
    var (news, count) = ([RoomNews](), 0)
    for start in stride(from: 0, to: asked.count, by: size.rooms) {
      for (room, last, asked) in try moved(asked[start..<min(start + size.rooms, asked.count)]) {
        let after = try lastShared(asked, last, in: room)
        let end = count < size.allChats ? min(room.lastSeq, after + Int64(size.chats)) : after
        let chats = end > after ? try chats(in: room, afterSeq: after, through: end) : []
        count += chats.count
        news.append(
          RoomNews(
            room: room.id.number, asked: asked, after: after, chats: chats, through: end,
            last: end == room.lastSeq ? last : chats.last?.mark, hasMore: end < room.lastSeq))
      }
    }
    return news
  }

  /// Those of the rooms whose newest chat is another than the one that was delivered last, and those that are doubted; with
  /// that chat. Deleted ones as well: what was said before is heard.
  private func moved(
    _ asked: ArraySlice<(key: Int64, value: RoomPosition)>
  ) throws -> [(room: Room, last: RoomPosition.Mark?, asked: RoomPosition)] {
    let asked = Dictionary(uniqueKeysWithValues: asked.map { ($0.key, $0.value) })
    let found = try all(
      """
      SELECT r.id, r.last_seq, c.uuid, c.created_at FROM rooms r LEFT JOIN chats c ON c.room_id = r.id AND c.seq = r.last_seq
      WHERE r.id IN (\(list: Array(asked.keys)))
      """
    ) { row in
      let chat: String? = try row.get("uuid")
      return (
        id: try row.get("id") as Int64, seq: try row.get("last_seq") as Int64,
        chat: try chat.map { .init(id: $0, createdAt: try row.get("created_at")) } as RoomPosition.Mark?
      )
    }
    var moved: [Int64: (last: RoomPosition.Mark?, asked: RoomPosition)] = [:]
    for (id, seq, chat) in found {
      guard let asked = asked[id], asked.hold != nil || !asked.isLast(seq, chat) else { continue }
      moved[id] = (chat, asked)
    }
    guard !moved.isEmpty else { return [] }
    return try all(
      "SELECT \(sql: Room.columns) FROM rooms r WHERE r.id IN (\(list: Array(moved.keys)))", Room.init
    ).compactMap { room in moved[room.id.number].map { (room, $0.last, $0.asked) } }
  }

  /// The last `seq` up to which the database has the chats that were delivered.
  private func lastShared(
    _ position: RoomPosition, _ last: RoomPosition.Mark?, in room: Room
  ) throws -> Int64 {
    guard let firstDate = position.firstDate, !position.isLast(room.lastSeq, last) else {
      return min(position.seq, room.lastSeq)
    }
    let there = try all(
      """
      SELECT seq, uuid, created_at FROM chats
      WHERE room_id = \(room.id.number) AND seq >= \(position.firstMark) AND seq <= \(position.seq) ORDER BY seq DESC
      """
    ) { row in
      (
        seq: try row.get("seq") as Int64,
        chat: RoomPosition.Mark(id: try row.get("uuid"), createdAt: try row.get("created_at"))
      )
    }
    if let shared = there.first(where: { position.has($0.seq, $0.chat) }) { return shared.seq }
    // What was lost begins before the first chat that is known. What is later than that one is new.
    return min(position.firstMark - 1, try lastSeq(in: room.id.number, notAfter: firstDate))
  }
}
