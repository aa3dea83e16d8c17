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
  /// After which they were asked for.
  package let after: Int64
  package let chats: [Chat]
  /// There is no further chat up to this `seq`. It is less than ``after`` if the database has lost chats: one that took
  /// over had not received them.
  package let through: Int64
  /// Whether there are chats after it.
  package let hasMore: Bool
}

extension Madang {
  /// What is new of these rooms after the `seq` given for each, and which changes were noted after one or are among those
  /// that were missing. Where there are more changes than fit, they come first, without chats.
  package func news(of rooms: [Int64: Int64], changesAfter number: Int64, missing: [Int64]) async throws -> News {
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

  /// The chats of one room after a `seq`; nil if there are none.
  package func news(of room: Int64, after seq: Int64) async throws -> RoomNews? {
    let size = settings.newsPage
    return try await database.read { try $0.rooms([room: seq], size).first }
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
  fileprivate func rooms(_ seqs: [Int64: Int64], _ size: NewsPage) throws -> [RoomNews] {
    let asked = Array(seqs.keys)
    var (news, count) = ([RoomNews](), 0)
    for start in stride(from: 0, to: asked.count, by: size.rooms) {
      for room in try rooms(asked[start..<min(start + size.rooms, asked.count)], moved: seqs) {
        let (id, last, after) = (room.id.number, room.lastSeq, seqs[room.id.number] ?? room.lastSeq)
        let through = last < after ? last : count < size.allChats ? min(last, after + Int64(size.chats)) : after
        let chats = through > after ? try chats(in: room, afterSeq: after, through: through) : []
        count += chats.count
        news.append(RoomNews(room: id, after: after, chats: chats, through: through, hasMore: through < last))
      }
    }
    return news
  }

  /// Those of the rooms whose newest chat is another than the given one.
  private func rooms(_ ids: ArraySlice<Int64>, moved seqs: [Int64: Int64]) throws -> [Room] {
    let found = try all("SELECT id, last_seq FROM rooms WHERE id IN (\(list: Array(ids))) AND deleted_at IS NULL") {
      row in
      (id: try row.get("id") as Int64, lastSeq: try row.get("last_seq") as Int64)
    }
    let moved = found.filter { $0.lastSeq != seqs[$0.id] }.map(\.id)
    guard !moved.isEmpty else { return [] }
    return try all("SELECT \(sql: Room.columns) FROM rooms r WHERE r.id IN (\(list: moved))", Room.init)
  }
}
