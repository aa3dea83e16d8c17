import SocketIOProtocol

/// Events that come between CONNECT and its answer: so does Node's server send what a returning client has missed. They count
/// once the answer says that the client has its socket back.
struct MissedEvents {
  private var events: [String: [SocketEvent]] = [:]
  private var count = 0
  private var byteCount = 0

  /// - Returns: False if they are more than half of what may wait for a reader, which has them all at once behind what waits already, or have more bytes together than a message may have. None is
  ///   kept of that namespace then.
  mutating func append(
    _ event: SocketEvent, in namespace: String, _ limits: SocketIOClient.Configuration
  ) -> Bool {
    guard count < limits.maxWaitingUpdates / 2, byteCount + event.byteCount <= limits.maxMessageBytes else {
      _ = take(namespace)
      return false
    }
    events[namespace, default: []].append(event)
    count += 1
    byteCount += event.byteCount
    return true
  }

  mutating func take(_ namespace: String) -> [SocketEvent] {
    let taken = events.removeValue(forKey: namespace) ?? []
    count -= taken.count
    byteCount -= taken.reduce(0) { $0 + $1.byteCount }
    return taken
  }
}

extension SocketEvent {
  fileprivate var byteCount: Int {
    // What a value takes by itself counts as well.
    (arguments.values + arguments.attachments).reduce(name.utf8.count) { $0 + $1.count + 64 }
  }
}
