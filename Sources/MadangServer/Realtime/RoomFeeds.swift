import MadangCore
import Synchronization

/// The rooms in which this server has or recently had sockets.
final class RoomFeeds: Sendable {
  private struct Entry {
    let feed: RoomFeed
    var sockets = 0
    var isForgotten = false
  }

  private let entries = Mutex<[Int64: Entry]>([:])

  subscript(room: Int64) -> RoomFeed? { entries.withLock { $0[room]?.feed } }

  /// Use it outside of the lock: a feed may be busy with delivery.
  private var all: [RoomFeed] { entries.withLock { $0.values.map(\.feed) } }

  /// A socket joined a room whose newest chat at its admission was `seq`. True if the room is new here.
  func join(_ room: Int64, after seq: Int64) -> Bool {
    entries.withLock { entries in
      let isNew = entries[room] == nil
      var entry = entries[room] ?? Entry(feed: RoomFeed(after: seq))
      entry.sockets += 1
      entry.isForgotten = false
      entries[room] = entry
      return isNew
    }
  }

  /// A socket has left a room.
  func leave(_ room: Int64) { entries.withLock { $0[room]?.sockets -= 1 } }

  /// Marks all rooms to be read, and removes rooms that had no socket since the last call. Not at once: a chat being
  /// delivered may reach a socket that is just joining, and must not be delivered to it again.
  func review() {
    entries.withLock { entries in
      entries = entries.filter { $0.value.sockets > 0 || !$0.value.isForgotten }
      for (room, entry) in entries where entry.sockets == 0 { entries[room]?.isForgotten = true }
    }
    setBehind()
  }

  /// Marks all rooms to be read.
  func setBehind() {
    for feed in all { feed.setBehind() }
  }

  /// From now on delivers only chats that are read from the database, because another database may have taken over.
  func hold() {
    for feed in all { feed.hold() }
  }

  /// The rooms to be read, with their delivered positions; each is returned once.
  func takeBehind() -> [Int64: RoomPosition] {
    let feeds = entries.withLock { $0.mapValues(\.feed) }
    return feeds.compactMapValues { $0.takeBehind() ? $0.position : nil }
  }
}
