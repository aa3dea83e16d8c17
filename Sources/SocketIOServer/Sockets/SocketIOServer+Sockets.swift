import Logging
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

  /// A socket of another server, which keeps the session's id to itself.
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
  /// The sockets whom the target means, in no particular order. Of other servers those that answer within
  /// `ClusterSettings.requestTimeout`; the log says if some did not.
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
        .warning, "Not all servers of the cluster told of their sockets", metadata: ["silent": "\(others.silent)"])
    }
    return await own + others.found
  }

  /// How many sockets the target means. Those of other servers count if they answer within `ClusterSettings.requestTimeout`; for a
  /// target that is local nothing is sent.
  public func socketCount(in target: BroadcastTarget) async -> Int {
    guard core.cluster(for: target) == nil else { return await sockets(in: target).count }
    return await core.gather(target) { $0.namespaces[target.namespace]?.count(in: target) ?? 0 }.reduce(0, +)
  }

  /// Makes the sockets whom the target means join rooms, those of lost clients that may return included. Broadcasts of the
  /// same thread that follow reach them there.
  public func join(_ rooms: Set<String>, for target: BroadcastTarget) {
    core.cluster(for: target)?.publish(.join(rooms, target))
    core.join(rooms, for: target)
  }

  /// Makes the sockets whom the target means leave rooms.
  public func leave(_ rooms: Set<String>, for target: BroadcastTarget) {
    core.cluster(for: target)?.publish(.leave(rooms, target))
    core.leave(rooms, for: target)
  }

  /// Removes the sockets whom the target means from their namespace. Their sessions stay open unless `closingSessions`.
  /// Lost clients of such sockets do not return to them.
  public func disconnectSockets(in target: BroadcastTarget, closingSessions: Bool = false) {
    core.cluster(for: target)?.publish(.disconnect(target, closingSessions: closingSessions))
    core.disconnectSockets(in: target, closingSessions: closingSessions)
  }

  /// Removes the sockets of a namespace for which the predicate holds, on this server only; their sessions stay open. No
  /// lost client of the namespace returns to its socket.
  public func disconnectSockets(
    in namespace: String, where matches: @escaping @Sendable (Socket) -> Bool = { _ in true }
  ) {
    let target = BroadcastTarget(namespace: namespace)
    core.recovery?.forgetParked(target)
    core.change(target) { if matches($0) { $0.dismiss(closingSession: false) } }
  }
}

/// The same for the sockets of this server.
extension ServerCore {
  func sockets(in target: BroadcastTarget) async -> [SocketSnapshot] {
    await gather(target) { $0.sockets(in: target).map(SocketSnapshot.init) }.flatMap { $0 }
  }

  /// Asks the event loops that have sockets of the target's namespace, behind what was asked of them before.
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
