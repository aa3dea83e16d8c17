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
        for (room, seq) in try transaction.lastSeqs(of: asked) { seqs[room] = seq }
      }
      return seqs
    }
  }
}
