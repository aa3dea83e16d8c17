public import SocketIOProtocol

extension SocketIOClient {
  /// The id of this client in a namespace, by which the server knows it; nil while it is not joined, and of servers of
  /// Socket.IO 2, which do not tell it.
  public func id(in namespace: String = SocketPacket.mainNamespace) -> String? {
    connection?.sockets[namespace].flatMap { $0.id.isEmpty ? nil : $0.id }
  }

  /// Whether the namespace is joined now.
  public func isConnected(to namespace: String = SocketPacket.mainNamespace) -> Bool {
    guard let connection, !connection.hasFailed else { return false }
    return connection.socket.isJoined(namespace)
  }

  /// Whether the namespace is joined, or will be with the next connection.
  public func isActive(in namespace: String = SocketPacket.mainNamespace) -> Bool {
    memberships[namespace] != nil
  }

  /// Whether the server has brought this client back to the socket that it had before, with its rooms and what it missed.
  public func isRecovered(in namespace: String = SocketPacket.mainNamespace) -> Bool {
    connection?.sockets[namespace]?.isRecovered == true
  }

  /// What carries packets now; nil while there is no session.
  public var currentTransport: EngineTransport? {
    connection?.engine.open == nil ? nil : connection?.engine.transport
  }
}
