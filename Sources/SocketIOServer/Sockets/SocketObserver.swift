import SocketIOProtocol

/// Observes what happens to sockets.
protocol SocketObserver: Sendable {
  /// Called on the socket's event loop.
  func note(_ socket: Socket, _ change: (SocketSnapshot) -> SocketChange)
}

/// Something that happened to a socket.
enum SocketChange {
  case connected(SocketSnapshot)
  case upgraded(namespace: String, id: String, transport: EngineTransport)
  case disconnected(namespace: String, id: String, DisconnectReason)
  case joinedRoom(namespace: String, id: String, room: String)
  case leftRoom(namespace: String, id: String, room: String)
}
