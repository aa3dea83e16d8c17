import SocketIOProtocol

/// Membership of sockets in namespaces and rooms.
extension LoopShard {
  func join(_ socket: Socket) {
    let namespace = namespaces[socket.namespace] ?? NamespaceShard()
    namespaces[socket.namespace] = namespace
    namespace.add(socket)
    core.joined(socket.namespace, shard: index)
    observer?.note(socket) { .connected($0) }
  }

  func leave(_ socket: Socket) {
    guard let namespace = namespaces[socket.namespace] else { return }
    namespace.remove(socket)
    if namespace.isEmpty { namespaces[socket.namespace] = nil }
    core.left(socket.namespace, shard: index)
  }

  func join(_ room: String, _ socket: Socket) {
    namespaces[socket.namespace]?.join(room, socket)
    observer?.note(socket) { .joinedRoom(namespace: $0.namespace, id: $0.id, room: room) }
  }

  func leave(_ room: String, _ socket: Socket) {
    namespaces[socket.namespace]?.leave(room, socket)
    observer?.note(socket) { .leftRoom(namespace: $0.namespace, id: $0.id, room: room) }
  }

  /// The sockets that a target selects now.
  func sockets(in target: BroadcastTarget) -> [Socket] {
    var found: [Socket] = []
    namespaces[target.namespace]?.forEach(in: target) { found.append($0) }
    return found
  }

  func deliver(_ event: OutboundEvent, to target: BroadcastTarget) {
    namespaces[target.namespace]?.forEach(in: target) { $0.deliver(event, isVolatile: target.isVolatile) }
  }
}
