import NIOCore
public import SocketIOProtocol

/// One client in one namespace.
///
/// Everything may be called from any thread; calls of one thread keep their order. Once the client has left, calls do
/// nothing.
///
/// Unchecked: the mutable state is touched on the event loop of the session only.
public final class Socket: @unchecked Sendable {
  /// The id the client knows as well.
  public let id: String
  public let namespace: String
  public let handshake: Handshake
  /// What the application gave on admission.
  public let data: SocketData

  let shard: LoopShard
  /// `nil` once the client has left.
  var session: Session?
  var memberIndex = 0
  var joinedRooms: Set<String> = []
  var acks = PendingAcks()
  let handlers: NamespaceHandlers

  init(id: String, namespace: String, data: SocketData, session: Session, handlers: NamespaceHandlers) {
    self.id = id
    self.namespace = namespace
    self.data = data
    self.session = session
    self.handlers = handlers
    handshake = session.handshake
    shard = session.shard
  }

  /// Sends an event to this client.
  public func emit(_ event: String, _ arguments: SocketArguments = SocketArguments()) {
    let message = OutboundMessage(
      .event(event, arguments: arguments.joined, namespace: namespace, attachments: arguments.attachments))
    onLoop { $0.session?.send(message) }
  }

  /// Sends an event to everybody else in the namespace, or in these rooms of it.
  public func broadcast(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), to rooms: Set<String> = []
  ) {
    shard.core.broadcast(
      event, arguments, to: BroadcastTarget(namespace: namespace, rooms: rooms, except: [id]))
  }

  public func join(_ room: String) {
    onLoop { socket in socket.shard.namespaces[socket.namespace]?.join(room, socket) }
  }

  public func leave(_ room: String) {
    onLoop { socket in socket.shard.namespaces[socket.namespace]?.leave(room, socket) }
  }

  /// Removes the client from the namespace. Its session stays open unless `closingSession`.
  public func disconnect(closingSession: Bool = false) {
    onLoop { socket in
      guard let session = socket.session else { return }
      if closingSession {
        session.disconnectAll()
      } else {
        session.disconnect(socket)
      }
    }
  }

  /// The transport the client uses now. Call it in the socket's handlers only, as it belongs to the event loop; the
  /// first transport once the client has left.
  public var currentTransport: EngineTransport {
    shard.loop.preconditionInEventLoop()
    return session?.engine.transport ?? handshake.transport
  }

  func onLoop(_ body: @escaping @Sendable (Socket) -> Void) {
    shard.run { _ in body(self) }
  }
}
