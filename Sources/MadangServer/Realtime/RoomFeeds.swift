import MadangCore
import Synchronization

/// The rooms in which this server has sockets, or had some until a moment ago.
final class RoomFeeds: Sendable {
  private struct Entry {
    let feed: RoomFeed
    var sockets = 0
    var isForgotten = false
  }

  private let entries = Mutex<[Int64: Entry]>([:])

  subscript(room: Int64) -> RoomFeed? { entries.withLock { $0[room]?.feed } }

  /// To be used outside of the lock: a feed may be busy with delivering.
  private var all: [RoomFeed] { entries.withLock { $0.values.map(\.feed) } }

  /// A socket has joined a room whose newest chat was `seq` when it was let in. True if nothing was known of the room.
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

  /// Has the chats of all rooms read, and forgets those that had no socket since the last time. Not at once: chats on their
  /// way to a room's sockets may reach one that is just joining, and must not be delivered to it again.
  func review() {
    entries.withLock { entries in
      entries = entries.filter { $0.value.sockets > 0 || !$0.value.isForgotten }
      for (room, entry) in entries where entry.sockets == 0 { entries[room]?.isForgotten = true }
    }
    setBehind()
  }

  /// Has the chats of all rooms read.
  func setBehind() {
    for feed in all { feed.setBehind() }
  }

  /// Delivers nothing but what is read of any room from now on: another database may have taken over.
  func hold() {
    for feed in all { feed.hold() }
  }

  /// The rooms whose chats are to be read, with how far they were delivered; each is answered once.
  func takeBehind() -> [Int64: RoomPosition] {
    let feeds = entries.withLock { $0.mapValues(\.feed) }
    return feeds.compactMapValues { $0.takeBehind() ? $0.position : nil }
  }
}
