import NIOCore
public import SocketIOProtocol

extension SocketIOClient {
  /// An event of the connection that all namespaces share.
  public enum ConnectionEvent: Hashable, Sendable {
    /// The connection is being opened, after this many consecutive failures; 0 for the first attempt. A lost connection counts as one
    /// failure.
    case attempt(after: Int)
    /// The server has opened a session over this transport.
    case opened(EngineTransport)
    /// The session, which began with polling, has moved to WebSocket.
    case upgraded
    /// The server sent a ping.
    case ping
    /// An open connection ended, or an attempt failed.
    case ended(Failure, wasOpen: Bool)
    /// The next attempt follows after this delay.
    case waiting(Duration)
    /// The number of failed attempts has reached `maxAttempts`; ``SocketIOClient/run()`` returns.
    case gaveUp
  }

  /// The events of the connection from now on, for any number of readers. The sequence ends when the client is closed, and fails with
  /// ``SocketIOError/tooSlow`` if its reader falls behind `maxWaitingUpdates`.
  public func connectionEvents() -> ConnectionEvents {
    guard !isClosed else { return ConnectionEvents(stream: Readers.ended) }
    feedCount += 1
    let id = feedCount
    let stream = watchers.add(id, maxWaiting: configuration.maxWaitingUpdates) { [weak self, loop] in
      loop.execute { [weak self] in self?.assumeIsolated { $0.watchers.remove(id) } }
    }
    return ConnectionEvents(stream: stream)
  }

  func tell(_ event: ConnectionEvent) {
    watchers.yield(event)
  }

  /// For one reader.
  public struct ConnectionEvents: AsyncSequence, Sendable {
    public typealias Element = ConnectionEvent
    let stream: AsyncThrowingStream<ConnectionEvent, any Error>

    public func makeAsyncIterator() -> AsyncThrowingStream<ConnectionEvent, any Error>.Iterator {
      stream.makeAsyncIterator()
    }
  }
}
