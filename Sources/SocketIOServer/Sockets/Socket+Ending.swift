public import SocketIOProtocol

extension Socket {
  /// Hears of the end of this socket while it still is in its rooms, after `NamespaceHandlers.disconnecting`; a broadcast to
  /// `socket.rooms` tells those who are in them, nobody if it is in none. It runs on the event loop of the client: it must not
  /// block. What is sent to the client here does not arrive.
  ///
  /// Call it in `connected`: a socket that has ended calls nobody.
  @discardableResult
  public func onDisconnecting(_ body: @escaping @Sendable (Socket, DisconnectReason) -> Void) -> Listener {
    listenToEnd(isEarly: true, body)
  }

  /// Hears of the end of this socket, after `NamespaceHandlers.disconnected`. It runs on the event loop of the client: it must
  /// not block.
  ///
  /// Call it in `connected`: a socket that has ended calls nobody.
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

  /// Tells the application that the client leaves, or has left. Called on the event loop.
  func announceEnd(_ reason: DisconnectReason, isEarly: Bool) {
    guard isAnnounced else { return }
    let handlers = rule.handlers
    (isEarly ? handlers.disconnecting : handlers.disconnected)?(self, reason)
    for ending in listeners.endings where ending.isEarly == isEarly { ending.body(self, reason) }
  }
}
