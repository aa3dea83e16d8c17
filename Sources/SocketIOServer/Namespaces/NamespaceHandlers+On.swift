/// Listeners that every socket of the namespace begins with. Those for one name are called in the order in which they were
/// added, after those for any name (`onAny`).
extension NamespaceHandlers {
  /// Listens to the events with this name. The listener runs on the event loop of the client: it must not block.
  ///
  /// - Returns: What `off` takes.
  @discardableResult
  public mutating func on(
    _ name: String, _ body: @escaping @Sendable (Socket, Socket.Event) -> Void
  ) -> Socket.Listener {
    listen(.named(name), body)
  }

  /// Listens to the events with this name whose first argument is such a value; others are refused (`refused`). The
  /// client's acknowledgement, if it asked for one, is the third argument. The listener runs on the event loop of the
  /// client: it must not block.
  @discardableResult
  public mutating func on<Value: Decodable & Sendable>(
    _ name: String, as type: Value.Type, _ body: @escaping @Sendable (Socket, Value, Acknowledgement?) -> Void
  ) -> Socket.Listener {
    listen(.named(name), Listeners.taking(type, body))
  }

  /// Listens to the events with this name whose first arguments are such values, as `on` does for one value. The client's
  /// acknowledgement, if it asked for one, comes last. `Socket.Event.decode(_:at:)` reads further arguments.
  @discardableResult
  public mutating func on<First: Decodable & Sendable, Second: Decodable & Sendable>(
    _ name: String, as first: First.Type, _ second: Second.Type,
    _ body: @escaping @Sendable (Socket, First, Second, Acknowledgement?) -> Void
  ) -> Socket.Listener {
    listen(.named(name), Listeners.taking(first, second, body))
  }

  /// Listens to the events with this name whose first arguments are such values, as `on` does for one value. The client's
  /// acknowledgement, if it asked for one, comes last. `Socket.Event.decode(_:at:)` reads further arguments.
  @discardableResult
  public mutating func on<First: Decodable & Sendable, Second: Decodable & Sendable, Third: Decodable & Sendable>(
    _ name: String, as first: First.Type, _ second: Second.Type, _ third: Third.Type,
    _ body: @escaping @Sendable (Socket, First, Second, Third, Acknowledgement?) -> Void
  ) -> Socket.Listener {
    listen(.named(name), Listeners.taking(first, second, third, body))
  }

  /// Listens to the events with this name in a task of the socket.
  ///
  /// One event of a socket is worked on at a time, in the order of their arrival. The task is cancelled when the client
  /// leaves; a client of which too much waits is disconnected (`maxWaitingEvents`, `maxWaitingEventBytes`). What the body
  /// throws refuses the event (`refused`), which is not acknowledged then. A `CancellationError` does so, too, unless
  /// the task itself is cancelled.
  @discardableResult
  public mutating func on(
    _ name: String, perform body: @escaping @Sendable (Socket, Socket.Event) async throws -> Void
  ) -> Socket.Listener {
    listen(.named(name), Listeners.performing(body))
  }

  /// Listens to the events with this name in a task of the socket, and acknowledges them with what the body returns.
  /// Events whose first arguments are no such values are refused.
  ///
  /// One event of a socket is worked on at a time, in the order of their arrival. The task is cancelled when the client
  /// leaves; a client of which too much waits is disconnected (`maxWaitingEvents`, `maxWaitingEventBytes`). What the body
  /// throws refuses the event (`refused`), which is not acknowledged then. A `CancellationError` does so, too, unless
  /// the task itself is cancelled.
  @discardableResult
  public mutating func on<each Value: Decodable & Sendable, Answer: Encodable & Sendable>(
    _ name: String, as types: repeat (each Value).Type,
    answer body: @escaping @Sendable (Socket, repeat each Value) async throws -> Answer
  ) -> Socket.Listener {
    listen(.named(name), Listeners.answering(repeat each types, by: body))
  }

  mutating func listen(
    _ kind: Listeners.Kind, isOnce: Bool = false, isFirst: Bool = false, _ body: @escaping Listeners.Body
  ) -> Socket.Listener {
    let id = Socket.Listener()
    listeners.add(.init(id: id, isOnce: isOnce, body: body), kind, isFirst: isFirst)
    return id
  }
}
