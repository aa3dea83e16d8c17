import NIOCore
public import SocketIOProtocol

extension SocketIOClient {
  /// Somebody who reads the events with one name.
  struct Listener {
    let name: String
    let namespace: String
    let feed: AsyncThrowingStream<SocketEvent, any Error>.Continuation
  }

  /// The events with this name, from now on, for any number of readers; the namespace must be joined by
  /// ``connect(to:auth:)`` or ``updates(in:auth:)``.
  ///
  /// The sequence goes on over lost connections, and ends when the namespace is left or the client closed. It fails with
  /// ``SocketIOError/tooSlow`` if its reader falls behind `maxWaitingUpdates`. In a namespace without a reader of updates
  /// it also ends when the server removes the client, and fails with ``SocketIOError/refused(_:)`` when the server does not
  /// let it in, be it after a lost connection.
  public func events(_ name: String, in namespace: String = SocketPacket.mainNamespace) -> Events {
    let (stream, feed) = AsyncThrowingStream.makeStream(
      of: SocketEvent.self, throwing: (any Error).self,
      bufferingPolicy: .bufferingOldest(configuration.maxWaitingUpdates))
    guard !isClosed else {
      feed.finish()
      return Events(stream: stream)
    }
    feedCount += 1
    let id = feedCount
    listeners[id] = Listener(name: name, namespace: namespace, feed: feed)
    feed.onTermination = { [weak self, loop] _ in
      loop.execute { [weak self] in self?.assumeIsolated { $0.listeners[id] = nil } }
    }
    return Events(stream: stream)
  }

  /// The first arguments of the events with this name, as values. As ``events(_:in:)``; it fails with `DecodingError` at
  /// an event whose first argument is of another kind.
  public func events<Value: Decodable>(
    _ name: String, as type: Value.Type, in namespace: String = SocketPacket.mainNamespace
  ) -> Values<Value> {
    Values(events: events(name, in: namespace))
  }

  func publish(_ event: SocketEvent, in namespace: String) {
    for (id, listener) in listeners where listener.name == event.name && listener.namespace == namespace {
      guard case .dropped = listener.feed.yield(event) else { continue }
      listeners[id] = nil
      listener.feed.finish(throwing: SocketIOError.tooSlow)
    }
  }

  /// Events as they arrived. For one reader.
  public struct Events: AsyncSequence, Sendable {
    public typealias Element = SocketEvent
    let stream: AsyncThrowingStream<SocketEvent, any Error>

    public func makeAsyncIterator() -> AsyncThrowingStream<SocketEvent, any Error>.Iterator {
      stream.makeAsyncIterator()
    }
  }

  /// Values out of events. For one reader.
  public struct Values<Element: Decodable>: AsyncSequence, Sendable {
    let events: Events

    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
      var events: Events.AsyncIterator

      public mutating func next() async throws -> Element? {
        try await events.next(isolation: #isolation)?.arguments.decode(Element.self)
      }
    }
  }
}
