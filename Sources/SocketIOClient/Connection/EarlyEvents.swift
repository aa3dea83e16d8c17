import SocketIOProtocol

/// Events that come between CONNECT and its answer. So Node's server sends what a returning client has missed, and python-socketio what
/// the application emits in its handler of `connect`. They follow the answer.
struct EarlyEvents {
  private var events: [String: [SocketEvent]] = [:]
  private var full: Set<String> = []
  private var count = 0
  private var byteCount = 0

  /// Keeps an event, unless there are more than half as many as may wait for a reader, which gets them all at once behind what waits
  /// already, or they have more bytes together than a message may have. Once there is no room, none is kept of that namespace.
  mutating func append(_ event: SocketEvent, in namespace: String, _ limits: SocketIOClient.Configuration) {
    guard !full.contains(namespace) else { return }
    guard count < limits.maxWaitingUpdates / 2, byteCount + event.byteCount <= limits.maxMessageBytes else {
      _ = take(namespace)
      full.insert(namespace)
      return
    }
    events[namespace, default: []].append(event)
    count += 1
    byteCount += event.byteCount
  }

  /// - Returns: `nil` if there was no room for all of them.
  mutating func take(_ namespace: String) -> [SocketEvent]? {
    let taken = events.removeValue(forKey: namespace) ?? []
    count -= taken.count
    byteCount -= taken.reduce(0) { $0 + $1.byteCount }
    return full.remove(namespace) == nil ? taken : nil
  }
}

extension SocketEvent {
  fileprivate var byteCount: Int {
    // What a value takes by itself counts as well.
    (arguments.values + arguments.attachments).reduce(name.utf8.count) { $0 + $1.count + 64 }
  }
}
