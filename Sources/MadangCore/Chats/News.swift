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

/// A room's chats after a `seq`, in order.
package struct RoomNews: Sendable {
  package let room: Int64
  package let chats: [Chat]
  /// There is no further chat up to this `seq`.
  package let through: Int64
  /// Whether there are chats after it.
  package let hasMore: Bool
}

extension Madang {
  /// What is new of these rooms after the `seq` given for each, and which changes were noted after one.
  package func news(of rooms: [Int64: Int64], changesAfter number: Int64) async throws -> News {
    let size = settings.newsPage
    return try await database.read { transaction in
      var news = News()
      news.changes = try transaction.changes(after: number, limit: size.changes)
      news.hasMoreChanges = news.changes.count == size.changes
      let asked = Array(rooms.keys)
      for start in stride(from: 0, to: asked.count, by: size.rooms) {
        let part = asked[start..<min(start + size.rooms, asked.count)]
        for room in try transaction.rooms(part, beyond: rooms) {
          let after = rooms[room.id.number] ?? room.lastSeq
          let through = min(room.lastSeq, after + Int64(size.chats))
          news.rooms.append(
            RoomNews(
              room: room.id.number, chats: try transaction.chats(in: room, afterSeq: after, through: through),
              through: through, hasMore: through < room.lastSeq))
        }
      }
      return news
    }
  }

  /// From which change on a server has to read: every change that may be under way yet has a higher number.
  package func startOfChanges() async throws -> Int64 {
    try await database.read { [time = clock.now - LoggedChange.latest] in try $0.lastChange(before: time) }
  }
}

extension LoggedChange {
  /// How long after its number was given out a change may become visible, in milliseconds.
  package static let latest: Int64 = 60_000
}

/// How much is read at a time to find out what is new.
package struct NewsPage: Sendable {
  package var rooms = 500
  /// Of one room.
  package var chats = 200
  package var changes = 1000
}

extension Transaction {
  /// Those of the rooms that have chats beyond the given ones.
  fileprivate func rooms(_ ids: ArraySlice<Int64>, beyond seqs: [Int64: Int64]) throws -> [Room] {
    let found = try all("SELECT id, last_seq FROM rooms WHERE id IN (\(list: Array(ids)))") { row in
      (id: try row.get("id") as Int64, lastSeq: try row.get("last_seq") as Int64)
    }
    let moved = found.filter { $0.lastSeq > seqs[$0.id] ?? .max }.map(\.id)
    guard !moved.isEmpty else { return [] }
    return try all("SELECT \(sql: Room.columns) FROM rooms r WHERE r.id IN (\(list: moved))", Room.init)
  }
}
