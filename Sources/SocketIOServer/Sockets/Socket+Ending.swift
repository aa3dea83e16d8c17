public import SocketIOProtocol

extension Socket {
  /// Listens to the end of this socket, while it is still in its rooms, after `NamespaceHandlers.disconnecting`. A broadcast to
  /// `socket.rooms` reaches their members, or no socket if there are no rooms. It runs on the event loop of the client: it must not block.
  /// Events sent to the client here are not delivered.
  ///
  /// Call it in `connected`: the listener of a socket that has already ended is never called.
  @discardableResult
  public func onDisconnecting(_ body: @escaping @Sendable (Socket, DisconnectReason) -> Void) -> Listener {
    listenToEnd(isEarly: true, body)
  }

  /// Listens to the end of this socket, after `NamespaceHandlers.disconnected`. It runs on the event loop of the client: it must not block.
  ///
  /// Call it in `connected`: the listener of a socket that has already ended is never called.
  @discardableResult
  public func onDisconnected(_ body: @escaping @Sendable (Socket, DisconnectReason) -> Void) -> Listener {
    listenToEnd(isEarly: false, body)
  }

  private func listenToEnd(
    isEarly: Bool, _ body: @escaping @Sendable (Socket, DisconnectReason) -> Void
  ) -> Listener {
    let id = Listener()
    changeListeners { $0.add(.init(id: id, isEarly: isEarly, body: body)) }
    return id
  }

  /// Notifies the application that the client is leaving, or has left. Called on the event loop.
  func announceEnd(_ reason: DisconnectReason, isEarly: Bool) {
    guard isAnnounced else { return }
    let handlers = rule.handlers
    (isEarly ? handlers.disconnecting : handlers.disconnected)?(self, reason)
    for ending in listeners.endings where ending.isEarly == isEarly { ending.body(self, reason) }
  }
}
