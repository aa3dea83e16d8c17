import Logging
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

extension SocketIOServer {
  /// The sockets that the target selects, in no particular order. Includes those of other servers that answer within
  /// `ClusterSettings.requestTimeout`; missing answers are logged.
  public func sockets(in target: BroadcastTarget) async -> [SocketSnapshot] {
    guard let cluster = core.cluster(for: target), let loop = core.shards.first?.loop else {
      return await core.sockets(in: target)
    }
    async let own = core.sockets(in: target)
    let others = await cluster.gather(on: loop, timeout: cluster.settings.requestTimeout) { number in
      .fetch(number, target)
    } _: { reply -> ServerGathering<SocketSnapshot>.Part? in
      guard case .sockets(let sockets, let isLast) = reply else { return nil }
      return .init(elements: sockets, isLast: isLast)
    }
    if others.silent > 0 {
      core.advise(
        .warning, "Not all servers of the cluster reported their sockets", metadata: ["silent": "\(others.silent)"])
    }
    return await own + others.found
  }

  /// The number of sockets that the target selects. Includes those of other servers that answer within `ClusterSettings.requestTimeout`.
  /// For a local target nothing is sent.
  public func socketCount(in target: BroadcastTarget) async -> Int {
    guard core.cluster(for: target) == nil else { return await sockets(in: target).count }
    return await core.gather(target) { $0.namespaces[target.namespace]?.count(in: target) ?? 0 }.reduce(0, +)
  }

  /// Adds the sockets that the target selects to rooms, including sockets of lost clients that may return. Later broadcasts of the same
  /// thread reach them there.
  public func join(_ rooms: Set<String>, for target: BroadcastTarget) {
    core.cluster(for: target)?.publish(.join(rooms, target))
    core.join(rooms, for: target)
  }

  /// Removes the sockets that the target selects from rooms.
  public func leave(_ rooms: Set<String>, for target: BroadcastTarget) {
    core.cluster(for: target)?.publish(.leave(rooms, target))
    core.leave(rooms, for: target)
  }

  /// Removes the sockets that the target selects from their namespace. Their sessions stay open unless `closingSessions`. Lost clients of
  /// such sockets cannot return to them.
  public func disconnectSockets(in target: BroadcastTarget, closingSessions: Bool = false) {
    core.cluster(for: target)?.publish(.disconnect(target, closingSessions: closingSessions))
    core.disconnectSockets(in: target, closingSessions: closingSessions)
  }

  /// Removes the sockets of a namespace for which the predicate is true, on this server only; their sessions stay open. No lost client of
  /// the namespace can return to its socket.
  public func disconnectSockets(
    in namespace: String, where matches: @escaping @Sendable (Socket) -> Bool = { _ in true }
  ) {
    let target = BroadcastTarget(namespace: namespace)
    core.recovery?.forgetParked(target)
    core.change(target) { if matches($0) { $0.dismiss(closingSession: false) } }
  }
}

/// Operations on the sockets of this server.
extension ServerCore {
  func sockets(in target: BroadcastTarget) async -> [SocketSnapshot] {
    await gather(target) { $0.sockets(in: target).map(SocketSnapshot.init) }.flatMap { $0 }
  }

  /// Queries the event loops that have sockets of the target's namespace, after earlier calls.
  fileprivate func gather<Part: Sendable>(
    _ target: BroadcastTarget, _ part: @escaping @Sendable (LoopShard) -> Part
  ) async -> [Part] {
    var found: [Part] = []
    for shard in shards(in: target.namespace) {
      found.append(
        await withCheckedContinuation { continuation in
          shard.hand { continuation.resume(returning: part($0)) }
        })
    }
    return found
  }

  func join(_ rooms: Set<String>, for target: BroadcastTarget) {
    recovery?.changeParked(target) { $0.formUnion(rooms) }
    change(target) { socket in for room in rooms { socket.shard.join(room, socket) } }
  }

  func leave(_ rooms: Set<String>, for target: BroadcastTarget) {
    recovery?.changeParked(target) { $0.subtract(rooms) }
    change(target) { socket in for room in rooms { socket.shard.leave(room, socket) } }
  }

  func disconnectSockets(in target: BroadcastTarget, closingSessions: Bool) {
    recovery?.forgetParked(target)
    change(target) { $0.dismiss(closingSession: closingSessions) }
  }

  func change(_ target: BroadcastTarget, _ body: @escaping @Sendable (Socket) -> Void) {
    hand(to: shards(in: target.namespace)) { shard in
      for socket in shard.sockets(in: target) { body(socket) }
    }
  }
}
