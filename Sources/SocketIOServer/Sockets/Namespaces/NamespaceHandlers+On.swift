/// The initial listeners of every socket of the namespace. Listeners for a name run in the order in which they were added, after those for
/// any name (`onAny`).
extension NamespaceHandlers {
  /// Listens to the events with this name. The listener runs on the event loop of the client: it must not block.
  ///
  /// - Returns: A value that `off` accepts.
  @discardableResult
  public mutating func on(
    _ name: String, _ body: @escaping @Sendable (Socket, Socket.Event) -> Void
  ) -> Socket.Listener {
    listen(.named(name), body)
  }

  /// Listens to the events with this name whose first argument decodes as this type; others are refused (`refused`). The third argument is
  /// the client's acknowledgement, if it asked for one. The listener runs on the event loop of the client: it must not block.
  @discardableResult
  public mutating func on<Value: Decodable & Sendable>(
    _ name: String, as type: Value.Type, _ body: @escaping @Sendable (Socket, Value, Acknowledgement?) -> Void
  ) -> Socket.Listener {
    listen(.named(name), Listeners.taking(type, body))
  }

  /// Listens to the events with this name whose first arguments decode as these types, as `on` does for one value. The last argument is the
  /// client's acknowledgement, if it asked for one. `Socket.Event.decode(_:at:)` reads further arguments.
  @discardableResult
  public mutating func on<First: Decodable & Sendable, Second: Decodable & Sendable>(
    _ name: String, as first: First.Type, _ second: Second.Type,
    _ body: @escaping @Sendable (Socket, First, Second, Acknowledgement?) -> Void
  ) -> Socket.Listener {
    listen(.named(name), Listeners.taking(first, second, body))
  }

  /// Listens to the events with this name whose first arguments decode as these types, as `on` does for one value. The last argument is the
  /// client's acknowledgement, if it asked for one. `Socket.Event.decode(_:at:)` reads further arguments.
  @discardableResult
  public mutating func on<First: Decodable & Sendable, Second: Decodable & Sendable, Third: Decodable & Sendable>(
    _ name: String, as first: First.Type, _ second: Second.Type, _ third: Third.Type,
    _ body: @escaping @Sendable (Socket, First, Second, Third, Acknowledgement?) -> Void
  ) -> Socket.Listener {
    listen(.named(name), Listeners.taking(first, second, third, body))
  }

  /// Listens to the events with this name in a task of the socket.
  ///
  /// A socket handles one event at a time, in the order of arrival. The task is cancelled when the client leaves. A client with too many
  /// waiting events is disconnected (`maxWaitingEvents`, `maxWaitingEventBytes`). If the body throws, the event is refused (`refused`) and
  /// not acknowledged. This includes `CancellationError`, unless the task itself is cancelled.
  @discardableResult
  public mutating func on(
    _ name: String, perform body: @escaping @Sendable (Socket, Socket.Event) async throws -> Void
  ) -> Socket.Listener {
    listen(.named(name), Listeners.performing(body))
  }

  /// Listens to the events with this name in a task of the socket, and acknowledges them with the body's result. Events whose first
  /// arguments do not decode as these types are refused.
  ///
  /// A socket handles one event at a time, in the order of arrival. The task is cancelled when the client leaves. A client with too many
  /// waiting events is disconnected (`maxWaitingEvents`, `maxWaitingEventBytes`). If the body throws, the event is refused (`refused`) and
  /// not acknowledged. This includes `CancellationError`, unless the task itself is cancelled.
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
