public import SocketIOProtocol

extension SocketIOClient {
  /// This client's id in a namespace, as the server knows it. Nil while the namespace is not joined, and with servers of Socket.IO 2, which
  /// do not send it.
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

  /// Whether the server has returned this client to its former socket, with its rooms and missed events.
  public func isRecovered(in namespace: String = SocketPacket.mainNamespace) -> Bool {
    connection?.sockets[namespace]?.isRecovered == true
  }

  /// The current transport; nil while there is no session.
  public var currentTransport: EngineTransport? {
    connection?.engine.open == nil ? nil : connection?.engine.transport
  }
}
