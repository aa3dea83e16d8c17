extension NamespaceHandlers {
  /// Listens to all events, whatever their name, before the listeners for their name do. Events nobody listens to are ignored.
  /// The listener runs on the event loop of the client: it must not block.
  @discardableResult
  public mutating func onAny(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.any, body)
  }

  /// The same, before those that were added so far.
  @discardableResult
  public mutating func prependAny(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.any, isFirst: true, body)
  }

  /// Sees all events on their way to the client, broadcasts included, but no acknowledgements, and nothing that connection
  /// state recovery repeats. It runs on the event loop of the client, amid a broadcast: it must not block.
  @discardableResult
  public mutating func onAnyOutgoing(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.outgoing, body)
  }

  /// The same, before those that were added so far.
  @discardableResult
  public mutating func prependAnyOutgoing(
    _ body: @escaping @Sendable (Socket, Socket.Event) -> Void
  ) -> Socket.Listener {
    listen(.outgoing, isFirst: true, body)
  }

  /// Removes a listener again.
  public mutating func off(_ listener: Socket.Listener) { listeners.remove(listener) }
}
