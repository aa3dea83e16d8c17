import Storage
import Synchronization

/// Tells the other servers of a database what this one has committed, outside of the transactions: a hint where to look. One
/// that is lost is made up for by looking at all rooms once in a while.
final class CommitNotices: Sendable {
  /// What others are told, or tell.
  struct Notice: Equatable {
    /// The newest `seq` of rooms.
    var rooms: [Int64: Int64] = [:]
    var hasChanges = false
  }

  private struct State {
    var notice = Notice()
    var isScheduled = false
  }

  /// How long what is committed is gathered.
  private static let pause: Duration = .milliseconds(3)
  /// More rooms than this go by several payloads: PostgreSQL takes 8000 bytes.
  private static let roomsPerPayload = 150

  private let channel: NotificationChannel
  private let state = Mutex(State())

  init(_ channel: NotificationChannel) { self.channel = channel }

  /// Returns at once.
  func add(_ change: (inout Notice) -> Void) {
    let isFirst = state.withLock { state in
      change(&state.notice)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isFirst else { return }
    // Unstructured: whoever commits does not wait for it.
    Task {
      try? await Task.sleep(for: Self.pause)
      let notice = state.withLock { state in
        defer { state = State() }
        return state.notice
      }
      for payload in Self.payloads(notice) { channel.notify(payload) }
    }
  }

  /// `c` for changes, then `ROOM:SEQ` for each room.
  static func payloads(_ notice: Notice) -> [String] {
    let rooms = notice.rooms.map { "\($0.key):\($0.value)" }
    var payloads = stride(from: 0, to: rooms.count, by: roomsPerPayload).map { start in
      rooms[start..<min(start + roomsPerPayload, rooms.count)].joined(separator: " ")
    }
    if notice.hasChanges { payloads.insert("c", at: 0) }
    return payloads
  }

  /// What a payload says; what cannot be read is left out.
  static func notice(_ payload: String) -> Notice {
    var notice = Notice()
    for word in payload.utf8.split(separator: UInt8(ascii: " ")).prefix(roomsPerPayload + 1) {
      let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      if parts.count == 2, let room = Int64(Substring(parts[0])), let seq = Int64(Substring(parts[1])) {
        notice.rooms[room] = seq
      } else if word.elementsEqual("c".utf8) {
        notice.hasChanges = true
      }
    }
    return notice
  }
}
