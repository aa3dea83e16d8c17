import NIOCore
public import SocketIOProtocol

extension SocketIOClient {
  /// What happens to the connection that all namespaces share.
  public enum ConnectionEvent: Hashable, Sendable {
    /// The connection is being opened, after this many attempts in a row that failed; 0 for the first one. A lost connection counts
    /// as one.
    case attempt(after: Int)
    /// The server has opened a session by this transport.
    case opened(EngineTransport)
    /// The session, which began with polling, goes on over WebSocket.
    case upgraded
    /// The server asked whether this client is there.
    case ping
    /// An open connection ended, or an attempt failed.
    case ended(Failure, wasOpen: Bool)
    /// The next attempt follows after this delay.
    case waiting(Duration)
    /// As many attempts have failed as `maxAttempts` allows; ``SocketIOClient/run()`` returns.
    case gaveUp
  }

  /// What happens to the connection, from now on, for any number of readers. Ends when the client is closed; fails with
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
