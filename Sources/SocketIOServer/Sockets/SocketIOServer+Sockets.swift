public import SocketIOProtocol

/// A socket as it was at one moment.
public struct SocketSnapshot: Sendable {
  public let id: String
  public let namespace: String
  public let data: SocketData
  public let handshake: Handshake
  /// The transport it used then.
  public let transport: EngineTransport
  /// The rooms it was in, without that of its own id.
  public let rooms: Set<String>
  /// The Engine.IO session: whoever knows it may speak for the client.
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
}

extension SocketIOServer {
  /// The sockets whom the target means, in no particular order.
  public func sockets(in target: BroadcastTarget) async -> [SocketSnapshot] {
    var found: [SocketSnapshot] = []
    for shard in core.shards(in: target.namespace) {
      found += await withCheckedContinuation { continuation in
        shard.run { continuation.resume(returning: $0.sockets(in: target).map(SocketSnapshot.init)) }
      }
    }
    return found
  }

  /// Makes the sockets whom the target means join rooms, those of lost clients that may return included. Broadcasts of the
  /// same thread that follow reach them there.
  public func join(_ rooms: Set<String>, for target: BroadcastTarget) {
    core.recovery?.changeParked(target) { $0.formUnion(rooms) }
    change(target) { socket in for room in rooms { socket.shard.join(room, socket) } }
  }

  /// Makes the sockets whom the target means leave rooms.
  public func leave(_ rooms: Set<String>, for target: BroadcastTarget) {
    core.recovery?.changeParked(target) { $0.subtract(rooms) }
    change(target) { socket in for room in rooms { socket.shard.leave(room, socket) } }
  }

  /// Removes the sockets whom the target means from their namespace. Their sessions stay open unless `closingSessions`.
  /// Lost clients of such sockets do not return to them.
  public func disconnectSockets(in target: BroadcastTarget, closingSessions: Bool = false) {
    core.recovery?.forgetParked(target)
    change(target) { $0.leaveNamespace(closingSession: closingSessions) }
  }

  /// Removes the sockets of a namespace for which the predicate holds; their sessions stay open. No lost client of the
  /// namespace returns to its socket.
  public func disconnectSockets(
    in namespace: String, where matches: @escaping @Sendable (Socket) -> Bool = { _ in true }
  ) {
    core.recovery?.forgetParked(BroadcastTarget(namespace: namespace))
    change(BroadcastTarget(namespace: namespace)) { if matches($0) { $0.leaveNamespace(closingSession: false) } }
  }

  private func change(_ target: BroadcastTarget, _ body: @escaping @Sendable (Socket) -> Void) {
    core.hand(to: core.shards(in: target.namespace)) { shard in
      for socket in shard.sockets(in: target) { body(socket) }
    }
  }
}
