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

/// How far the chats of a room were delivered.
package struct RoomPosition: Hashable, Sendable {
  package var seq: Int64
  /// When the chat of this `seq` was posted; nil if that is not known. Dates of a room rise, so it tells whether a chat of
  /// the same number is another one: a database that took over without the last chats gives out their numbers again.
  package var date: Int64?

  package init(seq: Int64, date: Int64? = nil) { (self.seq, self.date) = (seq, date) }
}

/// A room's chats after a position, in order.
package struct RoomNews: Sendable {
  package let room: Int64
  /// After which they were asked for.
  package let asked: RoomPosition
  /// After which they are. Less than the `seq` of ``asked`` if the database has lost chats.
  package let after: Int64
  package let chats: [Chat]
  /// There is no further chat up to here.
  package let through: RoomPosition
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

extension Transaction {
  fileprivate func rooms(_ positions: [Int64: RoomPosition], _ size: NewsPage) throws -> [RoomNews] {
    let asked = Array(positions)
    var (news, count) = ([RoomNews](), 0)
    for start in stride(from: 0, to: asked.count, by: size.rooms) {
      for (room, last, asked) in try moved(asked[start..<min(start + size.rooms, asked.count)]) {
        let after = try lastShared(asked, in: room)
        let end = count < size.allChats ? min(last.seq, after + Int64(size.chats)) : after
        let chats = end > after ? try chats(in: room, afterSeq: after, through: end) : []
        count += chats.count
        let through = end == last.seq ? last : RoomPosition(seq: end, date: chats.last?.createdAt)
        news.append(
          RoomNews(
            room: room.id.number, asked: asked, after: after, chats: chats, through: through, hasMore: end < last.seq))
      }
    }
    return news
  }

  /// Those of the rooms whose newest chat is another than the given one, with its position.
  private func moved(
    _ asked: ArraySlice<(key: Int64, value: RoomPosition)>
  ) throws -> [(room: Room, last: RoomPosition, asked: RoomPosition)] {
    let asked = Dictionary(uniqueKeysWithValues: asked.map { ($0.key, $0.value) })
    let found = try all(
      "SELECT id, last_seq, last_chat_at FROM rooms WHERE id IN (\(list: Array(asked.keys))) AND deleted_at IS NULL"
    ) { row in
      (
        id: try row.get("id") as Int64,
        last: RoomPosition(seq: try row.get("last_seq"), date: try row.get("last_chat_at"))
      )
    }
    var moved: [Int64: (last: RoomPosition, asked: RoomPosition)] = [:]
    for (id, last) in found {
      guard let asked = asked[id], asked.seq != last.seq || asked.date != nil && asked.date != last.date else {
        continue
      }
      moved[id] = (last, asked)
    }
    guard !moved.isEmpty else { return [] }
    return try all(
      "SELECT \(sql: Room.columns) FROM rooms r WHERE r.id IN (\(list: Array(moved.keys)))", Room.init
    ).compactMap { room in moved[room.id.number].map { (room, $0.last, $0.asked) } }
  }

  /// The last `seq` up to which the database has the chats that were delivered.
  private func lastShared(_ position: RoomPosition, in room: Room) throws -> Int64 {
    guard let date = position.date, position.seq > 0 else { return min(position.seq, room.lastSeq) }
    let isThere = try first(
      """
      SELECT 1 AS found FROM chats
      WHERE room_id = \(room.id.number) AND seq = \(position.seq) AND created_at = \(date)
      """
    ) { try $0.get("found") as Int64 }
    if isThere != nil { return position.seq }
    return min(position.seq, try lastSeq(in: room.id.number, notAfter: date))
  }
}
