import NIOCore
public import SocketIOProtocol

extension SocketIOClient {
  /// What a reader listens to.
  struct Interest: Hashable {
    enum Subject: Hashable {
      /// Events of the server with this name.
      case named(String)
      /// All events from the server.
      case received
      /// All events to the server.
      case sent
    }

    let namespace: String
    let subject: Subject
  }

  /// The events with this name from now on, for any number of readers. The namespace must be joined by `connect(to:auth:)` or
  /// ``updates(in:auth:)``.
  ///
  /// The sequence continues over lost connections, and ends when the namespace is left or the client is closed. It fails with
  /// ``SocketIOError/tooSlow`` if its reader falls behind `maxWaitingUpdates`. In a namespace without a reader of updates, it also ends
  /// when the server removes the client, and fails with ``SocketIOError/refused(_:)`` when the server refuses the client, even after a lost
  /// connection.
  public func events(_ name: String, in namespace: String = SocketPacket.mainNamespace) -> Events {
    events(Interest(namespace: namespace, subject: .named(name)))
  }

  /// All events from the server, with any name. It behaves as ``events(_:in:)``.
  public func allEvents(in namespace: String = SocketPacket.mainNamespace) -> Events {
    events(Interest(namespace: namespace, subject: .received))
  }

  /// All events to the server when they are sent: kept events when the namespace is joined, and repeated events each time. Acknowledgements
  /// are not included. It behaves as ``events(_:in:)``.
  public func outgoingEvents(in namespace: String = SocketPacket.mainNamespace) -> Events {
    events(Interest(namespace: namespace, subject: .sent))
  }

  /// Waits for the next event with this name.
  /// - Throws: The errors of ``events(_:in:)``, ``SocketIOError/closed`` if the sequence ends before, or `CancellationError`.
  public func once(_ name: String, in namespace: String = SocketPacket.mainNamespace) async throws -> SocketEvent {
    var iterator = events(name, in: namespace).makeAsyncIterator()
    guard let event = try await iterator.next(isolation: self) else {
      try Task.checkCancellation()
      throw SocketIOError.closed
    }
    return event
  }

  private func events(_ interest: Interest) -> Events {
    guard !isClosed else { return Events(stream: Readers.ended) }
    feedCount += 1
    let id = feedCount
    let stream = listeners[interest, default: Readers()].add(id, maxWaiting: configuration.maxWaitingUpdates) {
      [weak self, loop] in
      loop.execute { [weak self] in self?.assumeIsolated { $0.stopListening(id, interest) } }
    }
    return Events(stream: stream)
  }

  private func stopListening(_ id: Int, _ interest: Interest) {
    listeners[interest]?.remove(id)
    if listeners[interest]?.isEmpty == true { listeners[interest] = nil }
  }

  func publish(_ event: SocketEvent, in namespace: String, _ way: Interest.Subject) {
    listeners[Interest(namespace: namespace, subject: way)]?.yield(event)
    guard way == .received else { return }
    listeners[Interest(namespace: namespace, subject: .named(event.name))]?.yield(event)
  }

  func endListeners(_ namespace: String, _ error: SocketIOError?) {
    for interest in listeners.keys where interest.namespace == namespace {
      listeners[interest]?.finish(throwing: error)
      listeners[interest] = nil
    }
  }

  /// Events as they arrived or were sent. For one reader.
  public struct Events: AsyncSequence, Sendable {
    public typealias Element = SocketEvent
    let stream: AsyncThrowingStream<SocketEvent, any Error>

    public func makeAsyncIterator() -> AsyncThrowingStream<SocketEvent, any Error>.Iterator {
      stream.makeAsyncIterator()
    }
  }
}
