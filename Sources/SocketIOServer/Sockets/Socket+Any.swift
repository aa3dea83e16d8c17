extension Socket {
  /// Listens to all events of the client, before the listeners for their name do. Events nobody listens to are ignored.
  /// The listener runs on the event loop of the client: it must not block.
  @discardableResult
  public func onAny(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.any, body)
  }

  /// The same, before those that were added so far.
  @discardableResult
  public func prependAny(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.any, isFirst: true, body)
  }

  /// Sees all events on their way to the client, broadcasts included, but no acknowledgements, and nothing that connection
  /// state recovery repeats. It runs on the event loop of the client, amid a broadcast: it must not block.
  @discardableResult
  public func onAnyOutgoing(_ body: @escaping @Sendable (Socket, Socket.Event) -> Void) -> Socket.Listener {
    listen(.outgoing, body)
  }

  /// The same, before those that were added so far.
  @discardableResult
  public func prependAnyOutgoing(
    _ body: @escaping @Sendable (Socket, Socket.Event) -> Void
  ) -> Socket.Listener {
    listen(.outgoing, isFirst: true, body)
  }

  /// Removes a listener or a middleware: one of this socket, or, for this socket only, one of its namespace.
  public func off(_ listener: Listener) {
    changeListeners { $0.remove(listener) }
  }

  /// Removes all listeners to events with this name, those of the namespace included, for this socket only.
  public func offAll(_ name: String) {
    changeListeners { $0.removeAll(named: name) }
  }
}
