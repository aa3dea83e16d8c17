import SocketIOProtocol

/// Operations on the sockets of this server.
extension ServerCore {
  func sockets(in target: BroadcastTarget) async -> [SocketSnapshot] {
    await gather(target) { $0.sockets(in: target).map(SocketSnapshot.init) }.flatMap { $0 }
  }

  /// Queries the event loops that have sockets of the target's namespace, after earlier calls.
  func gather<Part: Sendable>(
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
