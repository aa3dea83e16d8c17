/// Those who read one sort of thing, each with a bounded sequence of its own.
struct Readers<Element: Sendable> {
  typealias Stream = AsyncThrowingStream<Element, any Error>

  private var feeds: [Int: Stream.Continuation] = [:]

  var isEmpty: Bool { feeds.isEmpty }

  /// - Parameter ended: Called from anywhere once the reader is gone.
  mutating func add(_ id: Int, maxWaiting: Int, ended: @escaping @Sendable () -> Void) -> Stream {
    let (stream, feed) = Stream.makeStream(bufferingPolicy: .bufferingOldest(maxWaiting))
    feeds[id] = feed
    feed.onTermination = { _ in ended() }
    return stream
  }

  mutating func remove(_ id: Int) { feeds[id] = nil }

  /// Hands out to all; who has fallen behind is told so, and gets no more.
  mutating func yield(_ element: Element) {
    for (id, feed) in feeds {
      guard case .dropped = feed.yield(element) else { continue }
      feeds[id] = nil
      feed.finish(throwing: SocketIOError.tooSlow)
    }
  }

  mutating func finish(throwing error: SocketIOError? = nil) {
    for feed in feeds.values { feed.finish(throwing: error) }
    feeds = [:]
  }

  /// A sequence of which nothing comes.
  static var ended: Stream { Stream { $0.finish() } }
}
