import SocketIOProtocol

/// Events that arrive between CONNECT and its answer: Node's server sends missed events of a returning client then, and python-socketio
/// events that the application emits in its `connect` handler. They are delivered after the answer.
struct EarlyEvents {
  private var events: [String: [SocketEvent]] = [:]
  private var full: Set<String> = []
  private var count = 0
  private var byteCount = 0

  /// Keeps an event, up to half of `maxWaitingUpdates` (a reader gets them all at once, after its waiting updates) and up to
  /// `maxMessageBytes`. Once a limit is exceeded, no event of that namespace is kept.
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
    // Each value has a cost of its own.
    (arguments.values + arguments.attachments).reduce(name.utf8.count) { $0 + $1.count + 64 }
  }
}
