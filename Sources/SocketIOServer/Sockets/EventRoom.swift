import SocketIOProtocol

/// The memory of a session's events that asynchronous middleware and listeners have not completed.
struct EventRoom {
  private(set) var bytes = 0
  /// The size of an event that arrived while none was pending and exceeds the limit; it does not count.
  private var oversize = 0

  /// Adds an event. False if there is no room.
  mutating func take(_ size: Int, limit: Int) -> Bool {
    if bytes == 0 { oversize = size > limit ? size : 0 }
    guard bytes + size <= limit + oversize else { return false }
    bytes += size
    return true
  }

  mutating func give(_ size: Int) { bytes -= size }
}

extension Socket.Event {
  /// The approximate cost of an argument in addition to its text, in bytes.
  private static let argumentOverhead = 64

  /// The approximate memory that the event takes, in bytes.
  var size: Int {
    let lists = [arguments.values, arguments.attachments]
    return lists.joined().reduce(name.utf8.count) { $0 + $1.count + Self.argumentOverhead }
  }
}
