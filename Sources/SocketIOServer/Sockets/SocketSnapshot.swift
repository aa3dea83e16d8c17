public import SocketIOProtocol

/// The state of a socket at one moment.
public struct SocketSnapshot: Sendable {
  public let id: String
  public let namespace: String
  public let data: SocketData
  public let handshake: Handshake
  /// Its transport at that time.
  public let transport: EngineTransport
  /// The rooms it was in, without that of its own id.
  public let rooms: Set<String>
  /// The Engine.IO session id. It gives full access to the session.
  let sessionID: String

  /// Call it on the socket's event loop.
  init(_ socket: Socket) {
    id = socket.id
    namespace = socket.namespace
    data = socket.data
    handshake = socket.handshake
    transport = socket.currentTransport
    rooms = socket.joinedRooms
    sessionID = socket.session?.id ?? ""
  }

  /// A socket of another server, which does not disclose the session id.
  init(
    id: String, namespace: String, data: SocketData, transport: EngineTransport, rooms: Set<String>,
    handshake: Handshake
  ) {
    self.id = id
    self.namespace = namespace
    self.data = data
    self.handshake = handshake
    self.transport = transport
    self.rooms = rooms
    sessionID = ""
  }
}
