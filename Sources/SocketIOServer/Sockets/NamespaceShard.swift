/// The sockets of one namespace on one event loop, and their rooms.
final class NamespaceShard {
  private var sockets: [Socket] = []
  private var byID: [String: Socket] = [:]
  private var rooms: [String: [String: Socket]] = [:]

  var isEmpty: Bool { sockets.isEmpty }

  func add(_ socket: Socket) {
    socket.memberIndex = sockets.count
    sockets.append(socket)
    byID[socket.id] = socket
  }

  func socket(_ id: String) -> Socket? { byID[id] }

  func remove(_ socket: Socket) {
    guard byID.removeValue(forKey: socket.id) != nil else { return }
    let last = sockets.removeLast()
    if last !== socket {
      sockets[socket.memberIndex] = last
      last.memberIndex = socket.memberIndex
    }
    for room in socket.joinedRooms { leave(room, socket) }
    socket.noteLeavingAll()
  }

  func join(_ room: String, _ socket: Socket) {
    guard byID[socket.id] === socket, socket.noteJoining(room) else { return }
    rooms[room, default: [:]][socket.id] = socket
  }

  func count(in target: BroadcastTarget) -> Int {
    var count = 0
    forEach(in: target) { _ in count += 1 }
    return count
  }

  func leave(_ room: String, _ socket: Socket) {
    socket.noteLeaving(room)
    rooms[room]?[socket.id] = nil
    if rooms[room]?.isEmpty ?? false { rooms[room] = nil }
  }

  /// Calls `body` once for each socket that the target selects. `body` must not add or remove sockets.
  func forEach(in target: BroadcastTarget, _ body: (Socket) -> Void) {
    if target.rooms.isEmpty, target.except.isEmpty {
      for socket in sockets where !socket.isDismissed { body(socket) }
      return
    }
    for socket in candidates(target.rooms) where !socket.isDismissed && !isExcepted(socket, target.except) {
      body(socket)
    }
  }

  private func candidates(_ names: Set<String>) -> [Socket] {
    guard !names.isEmpty else { return sockets }
    var found: [String: Socket] = [:]
    for name in names {
      // Every socket is in the room of its own id.
      if let socket = byID[name] { found[socket.id] = socket }
      if let members = rooms[name] { found.merge(members) { first, _ in first } }
    }
    return Array(found.values)
  }

  private func isExcepted(_ socket: Socket, _ names: Set<String>) -> Bool {
    names.contains(socket.id) || !names.isDisjoint(with: socket.joinedRooms)
  }
}
