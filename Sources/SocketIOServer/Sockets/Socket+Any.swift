extension Socket {
  /// Listens to all events of the client, before the listeners for their name run. Events without a listener are ignored. The listener runs
  /// on the event loop of the client: it must not block.
  @discardableResult
  public func onAny(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.any, body)
  }

  /// Listens to all events, before the listeners that were added so far.
  @discardableResult
  public func prependAny(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.any, isFirst: true, body)
  }

  /// Observes all events that are sent to the client, including broadcasts, but excluding acknowledgements and events that connection state
  /// recovery replays. It runs on the event loop of the client, during a broadcast: it must not block.
  @discardableResult
  public func onAnyOutgoing(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.outgoing, body)
  }

  /// Observes all sent events, before the listeners that were added so far.
  @discardableResult
  public func prependAnyOutgoing(
    _ body: @escaping @Sendable (Socket, Socket.Event) -> Void
  ) -> Socket.Listener {
    listen(.outgoing, isFirst: true, body)
  }

  /// Removes a listener or a middleware. One of the namespace is removed for this socket only.
  public func off(_ listener: Listener) {
    changeListeners { $0.remove(listener) }
  }

  /// Removes all listeners to events with this name for this socket only, including those of the namespace.
  public func offAll(_ name: String) {
    changeListeners { $0.removeAll(named: name) }
  }
}
