import Storage

/// What a server has not delivered to its sockets yet, as of one moment. A change that was committed before one of these chats is included
/// too.
package struct News: Sendable {
  package var changes: [LoggedChange] = []
  /// One element for each room with new chats.
  package var rooms: [RoomNews] = []
  /// Whether there are more changes.
  package var hasMoreChanges = false
}

/// The chats of a room after a position, in order.
package struct RoomNews: Sendable {
  package let room: Int64
  /// The position that the caller asked for.
  package let asked: RoomPosition
  /// The `seq` after which the chats start. Less than the `seq` of ``asked`` if the database has lost chats.
  package let after: Int64
  package let chats: [Chat]
  /// Every chat of the room up to this `seq` was delivered before or is in ``chats``.
  package let through: Int64
  /// The chat with the `seq` of ``through``; nil if there is none.
  package let last: RoomPosition.Mark?
  /// Whether there are chats after ``through``.
  package let hasMore: Bool
}

extension Madang {
  /// The news of rooms after a position in each, and the changes after a number or among the missing numbers. If there are more changes
  /// than fit, the changes come first, without chats.
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

  /// The numbers of the latest changes. A starting server skips these: it has no sockets to notify.
  package func latestChanges() async throws -> [Int64] {
    try await database.read { [size = settings.newsPage] in try $0.lastChanges(limit: size.gaps) }
  }
}

extension Madang {
  /// The `seq` of the newest chat of each room; deleted rooms are left out.
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
