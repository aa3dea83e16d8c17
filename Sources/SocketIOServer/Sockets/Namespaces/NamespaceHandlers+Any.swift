extension NamespaceHandlers {
  /// Listens to all events, with any name, before the listeners for their name run. Events without a listener are ignored. The listener
  /// runs on the event loop of the client: it must not block.
  @discardableResult
  public mutating func onAny(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.any, body)
  }

  /// Listens to all events, before the listeners that were added so far.
  @discardableResult
  public mutating func prependAny(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.any, isFirst: true, body)
  }

  /// Observes all events that are sent to the client, including broadcasts, but excluding acknowledgements and events that connection state
  /// recovery replays. It runs on the event loop of the client, during a broadcast: it must not block.
  @discardableResult
  public mutating func onAnyOutgoing(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.outgoing, body)
  }

  /// Observes all sent events, before the listeners that were added so far.
  @discardableResult
  public mutating func prependAnyOutgoing(
    _ body: @escaping @Sendable (Socket, Socket.Event) -> Void
  ) -> Socket.Listener {
    listen(.outgoing, isFirst: true, body)
  }

  /// Removes a listener.
  public mutating func off(_ listener: Socket.Listener) { listeners.remove(listener) }
}
