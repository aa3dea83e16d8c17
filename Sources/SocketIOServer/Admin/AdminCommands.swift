import SocketIOProtocol

extension AdminHub {
  /// The handlers of the admin namespace: who may join, and which commands the UI may use.
  func handlers(for server: SocketIOServer) -> NamespaceHandlers {
    var handlers = NamespaceHandlers()
    handlers.admit = { await self.admit($0) }
    handlers.connected = { self.started($0) }
    handlers.disconnected = { socket, _ in self.stopped(socket) }
    guard !settings.isReadOnly else { return handlers }
    // The namespace keeps its handlers, which must not retain the server.
    handlers.onCommand("emit", filterAt: 1, in: self) { [weak server] target, event in
      let name = try event.decode(String.self, at: 2)
      server?.emit(name, event.arguments[3...], to: target)
    }
    handlers.onCommand("join", filterAt: 2, in: self) { [weak server] target, event in
      server?.join([try event.decode(String.self, at: 1)], for: target)
    }
    handlers.onCommand("leave", filterAt: 2, in: self) { [weak server] target, event in
      server?.leave([try event.decode(String.self, at: 1)], for: target)
    }
    handlers.onCommand("_disconnect", filterAt: 2, in: self) { [weak server] target, event in
      server?.disconnectSockets(in: target, closingSessions: try event.decode(Bool.self, at: 1))
    }
    return handlers
  }
}

extension NamespaceHandlers {
  /// Handles a command whose first argument is a namespace. If the argument at `index` is given, it is a room or the id of a socket.
  fileprivate mutating func onCommand(
    _ name: String, filterAt index: Int, in hub: AdminHub,
    _ body: @escaping @Sendable (BroadcastTarget, Socket.Event) throws -> Void
  ) {
    let own = hub.settings.namespace
    on(name) { socket, event in
      do {
        let namespace = try event.decode(String.self)
        guard namespace != own else { return }
        let filter = try? event.decode(String.self, at: index)
        try body(BroadcastTarget(namespace: namespace, rooms: filter.map { [$0] } ?? []), event)
      } catch {
        socket.refuse(event, error)
      }
    }
  }
}
