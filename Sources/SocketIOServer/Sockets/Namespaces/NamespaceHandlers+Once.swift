extension NamespaceHandlers {
  /// Listens as `on` does, but only to each socket's first event with this name; a refused event counts as well.
  @discardableResult
  public mutating func once(
    _ name: String, _ body: @escaping @Sendable (Socket, Socket.Event) -> Void
  ) -> Socket.Listener {
    listen(.named(name), isOnce: true, body)
  }

  /// Listens as `on` does, but only to each socket's first event with this name; a refused event counts as well.
  @discardableResult
  public mutating func once<Value: Decodable & Sendable>(
    _ name: String, as type: Value.Type, _ body: @escaping @Sendable (Socket, Value, Acknowledgement?) -> Void
  ) -> Socket.Listener {
    listen(.named(name), isOnce: true, Listeners.taking(type, body))
  }

  /// Listens as `on` does, but only to each socket's first event with this name; a refused event counts as well.
  @discardableResult
  public mutating func once<First: Decodable & Sendable, Second: Decodable & Sendable>(
    _ name: String, as first: First.Type, _ second: Second.Type,
    _ body: @escaping @Sendable (Socket, First, Second, Acknowledgement?) -> Void
  ) -> Socket.Listener {
    listen(.named(name), isOnce: true, Listeners.taking(first, second, body))
  }

  /// Listens as `on` does, but only to each socket's first event with this name; a refused event counts as well.
  @discardableResult
  public mutating func once<First: Decodable & Sendable, Second: Decodable & Sendable, Third: Decodable & Sendable>(
    _ name: String, as first: First.Type, _ second: Second.Type, _ third: Third.Type,
    _ body: @escaping @Sendable (Socket, First, Second, Third, Acknowledgement?) -> Void
  ) -> Socket.Listener {
    listen(.named(name), isOnce: true, Listeners.taking(first, second, third, body))
  }

  /// Listens as `on` does, but only to each socket's first event with this name; a refused event counts as well.
  @discardableResult
  public mutating func once(
    _ name: String, perform body: @escaping @Sendable (Socket, Socket.Event) async throws -> Void
  ) -> Socket.Listener {
    listen(.named(name), isOnce: true, Listeners.performing(body))
  }

  /// Listens as `on` does, but only to each socket's first event with this name; a refused event counts as well.
  @discardableResult
  public mutating func once<each Value: Decodable & Sendable, Answer: Encodable & Sendable>(
    _ name: String, as types: repeat (each Value).Type,
    answer body: @escaping @Sendable (Socket, repeat each Value) async throws -> Answer
  ) -> Socket.Listener {
    listen(.named(name), isOnce: true, Listeners.answering(repeat each types, by: body))
  }
}
