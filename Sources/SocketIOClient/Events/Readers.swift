/// The readers of one kind of element, each with its own bounded sequence.
struct Readers<Element: Sendable> {
  typealias Stream = AsyncThrowingStream<Element, any Error>

  private var feeds: [Int: Stream.Continuation] = [:]

  var isEmpty: Bool { feeds.isEmpty }

  /// - Parameter ended: Called on any thread when the reader is gone.
  mutating func add(_ id: Int, maxWaiting: Int, ended: @escaping @Sendable () -> Void) -> Stream {
    let (stream, feed) = Stream.makeStream(bufferingPolicy: .bufferingOldest(maxWaiting))
    feeds[id] = feed
    feed.onTermination = { _ in ended() }
    return stream
  }

  mutating func remove(_ id: Int) { feeds[id] = nil }

  /// Sends an element to all readers. A reader that has fallen behind gets an error and is removed.
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

  /// A sequence that has ended.
  static var ended: Stream { Stream { $0.finish() } }
}
