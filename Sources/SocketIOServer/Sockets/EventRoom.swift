import SocketIOProtocol

/// The room that events of one session take up which wait for asynchronous middleware and listeners, or are worked on.
struct EventRoom {
  private(set) var bytes = 0
  /// The size of an event that found nothing before it and is larger than all that may wait: it does not count.
  private var oversize = 0

  /// False if there is no room.
  mutating func take(_ size: Int, limit: Int) -> Bool {
    if bytes == 0 { oversize = size > limit ? size : 0 }
    guard bytes + size <= limit + oversize else { return false }
    bytes += size
    return true
  }

  mutating func give(_ size: Int) { bytes -= size }
}

extension Socket.Event {
  /// What every argument costs besides its text, in bytes, about.
  private static let argumentOverhead = 64

  /// What the event takes up, in bytes, about.
  var size: Int {
    let lists = [arguments.values, arguments.attachments]
    return lists.joined().reduce(name.utf8.count) { $0 + $1.count + Self.argumentOverhead }
  }
}
