import Logging
import SocketIOProtocol

/// A client's CONNECT that the application has not answered yet.
struct PendingAdmission {
  let namespace: String
  /// Tells this CONNECT from an earlier one for the same namespace, whose decision may still be on its way.
  let number: Int
  /// What the client shows to return to a socket it had.
  let claim: RecoveryClaim?
  var task: Task<Void, Never>?
}

extension Session {
  func handle(_ action: SocketServerSession.Action) {
    switch action {
    case .none: break
    case .connect(let namespace, let auth): connect(namespace, auth)
    case .connectAgain(let namespace):
      if let socket = socket(in: namespace) { sendConnected(socket) }
    case .refuse(let namespace, let message): sendRefusal(namespace, message: message, data: [])
    case .leave(let namespace, let wasJoined): left(namespace, wasJoined: wasJoined)
    case .event(let namespace, let event): deliver(event, namespace)
    case .ack(let namespace, let id, let arguments): socket(in: namespace)?.settle(id, .success(arguments))
    case .close(let reason): close(reason)
    }
  }

  func socket(in namespace: String) -> Socket? {
    sockets.first { $0.namespace == namespace }
  }

  // MARK: Joining

  private func connect(_ namespace: String, _ auth: [UInt8]) {
    guard let handlers = core.handlers(for: namespace) else {
      core.logUnknown(namespace)
      _ = socketIO.refuse(namespace: namespace)
      return sendRefusal(namespace, message: "Invalid namespace", data: [])
    }
    guard auth.count <= core.configuration.maxHandshakeBytes else {
      _ = socketIO.refuse(namespace: namespace)
      return sendRefusal(namespace, message: "Payload too large", data: [])
    }
    let claim = core.recovery == nil ? nil : RecoveryClaim(auth: auth)
    if claim == nil, handlers.admit == nil { return join(namespace, SocketData(), handlers) }
    admissionNumber += 1
    let pending = PendingAdmission(namespace: namespace, number: admissionNumber, claim: claim)
    admissions.append(pending)
    let request = ConnectRequest(namespace: namespace, auth: auth, handshake: handshake, origin: origin)
    let shards = core.shards
    guard let claim, let recovery = core.recovery, let former = recovery.liveSocket(claim, in: namespace),
      shards.indices.contains(former.shard)
    else {
      return consider(request, pending, handlers)
    }
    // The client is back before anybody noticed that it was gone: its former connection ends first.
    shards[former.shard].run { [shard] formerShard in
      if let session = formerShard.namespaces[namespace]?.socket(former.id)?.session {
        session.catchUp(at: LoopShard.now)
        session.close(.transportClose)
      }
      shard.run { _ in self.consider(request, pending, handlers) }
    }
  }

  /// Recovers, asks the application, or joins.
  private func consider(_ request: ConnectRequest, _ pending: PendingAdmission, _ handlers: NamespaceHandlers) {
    guard let index = admissions.firstIndex(where: { $0.number == pending.number }) else { return }
    guard let admit = handlers.admit else { return decided(pending.number, .accept(), handlers) }
    if core.recovery?.settings.skipAdmission ?? false, let restored = restore(pending) {
      admissions.remove(at: index)
      return join(pending.namespace, restored.socket.data, handlers, restored, pending.claim)
    }
    // Unstructured: it lives as long as the session keeps it, and is cancelled from there.
    admissions[index].task = Task { [shard] in
      let admission = await admit(request)
      guard !Task.isCancelled else { return }
      shard.run { _ in self.decided(pending.number, admission, handlers) }
    }
  }

  private func restore(_ pending: PendingAdmission) -> RecoveryState<OutboundMessage>.Restored? {
    guard let claim = pending.claim else { return nil }
    return core.recovery?.restore(claim, in: pending.namespace, shard: shard.index)
  }

  private func decided(_ number: Int, _ admission: Admission, _ handlers: NamespaceHandlers) {
    guard let index = admissions.firstIndex(where: { $0.number == number }) else { return }
    let pending = admissions.remove(at: index)
    switch admission {
    case .accept(let data):
      let restored = restore(pending)
      let kept = handlers.admit == nil ? restored?.socket.data : nil
      join(pending.namespace, kept ?? data, handlers, restored, pending.claim)
    case .refuse(let message, let data):
      guard socketIO.refuse(namespace: pending.namespace) else { return }
      sendRefusal(pending.namespace, message: message, data: data)
    }
  }

  private func join(
    _ namespace: String, _ data: SocketData, _ handlers: NamespaceHandlers,
    _ restored: RecoveryState<OutboundMessage>.Restored? = nil, _ claim: RecoveryClaim? = nil
  ) {
    guard socketIO.accept(namespace: namespace) else { return }
    stay()
    let serves = core.recovery?.serves(handshake, claim) ?? false
    let pid = restored == nil ? (serves ? SessionID.make(shard: shard.index) : nil) : claim?.pid
    let socket = Socket(
      id: restored?.socket.id ?? makeSocketID(namespace), namespace: namespace, data: data, session: self,
      handlers: handlers, pid: pid, isRecovered: restored != nil)
    sockets.append(socket)
    if let pid, restored == nil { core.recovery?.joined(socket, pid) }
    socket.replayedThrough = restored?.through ?? 0
    shard.join(socket)
    for room in restored?.socket.rooms ?? [] { shard.join(room, socket) }
    sendConnected(socket)
    for message in restored?.missed ?? [] { send(message) }
    // Sending may have found the connection gone, and closed the session with this socket in it.
    guard socket.session != nil else { return }
    socket.isAnnounced = true
    handlers.connected?(socket)
  }

  private func makeSocketID(_ namespace: String) -> String {
    switch revision {
    case .v4: SessionID.make(shard: shard.index)
    case .v3: namespace == SocketPacket.mainNamespace ? id : "\(namespace)#\(id)"
    }
  }

  private func sendConnected(_ socket: Socket) {
    let pid = socket.pid.map { #","pid":"\#($0)""# } ?? ""
    let payload = revision == .v4 ? Array(#"{"sid":"\#(socket.id)"\#(pid)}"#.utf8) : []
    reply(OutboundMessage(SocketPacket(.connect, namespace: socket.namespace, payload: payload)).text)
  }

  func sendRefusal(_ namespace: String, message: String, data: [UInt8]) {
    var payload = Array(#"{"message":"#.utf8) + JSONText.quotedBytes(message)
    if !data.isEmpty { payload += Array(#","data":"#.utf8) + data }
    payload.append(UInt8(ascii: "}"))
    if revision == .v3 { payload = data.isEmpty ? JSONText.quotedBytes(message) : data }
    reply(OutboundMessage(SocketPacket(.connectError, namespace: namespace, payload: payload)).text)
  }

  // MARK: Leaving

  private func left(_ namespace: String, wasJoined: Bool) {
    if let index = admissions.firstIndex(where: { $0.namespace == namespace }) {
      admissions.remove(at: index).task?.cancel()
    }
    guard wasJoined, let index = sockets.firstIndex(where: { $0.namespace == namespace }) else { return }
    removed(sockets.remove(at: index), .clientNamespaceDisconnect)
  }

  /// The server removes a socket from its namespace.
  func disconnect(_ socket: Socket) {
    guard socketIO.remove(namespace: socket.namespace) else { return }
    sockets.removeAll { $0 === socket }
    send(OutboundMessage(SocketPacket(.disconnect, namespace: socket.namespace)))
    removed(socket, .serverNamespaceDisconnect)
  }

  /// The server removes the client from every namespace and ends the session.
  func disconnectAll() {
    for socket in sockets { disconnect(socket) }
    closeAfterDelivery(.forcedClose)
  }

  /// Ends a socket that is no longer in `sockets`, or soon will not be.
  func removed(_ socket: Socket, _ reason: DisconnectReason, at time: Milliseconds = LoopShard.now) {
    if let recovery = core.recovery, let pid = socket.pid {
      recovery.left(socket, pid, rooms: socket.joinedRooms, reason, at: time)
      shard.startRecoverySweep(recovery)
    }
    shard.admin?.note(socket) { .disconnected(namespace: $0.namespace, id: $0.id, reason) }
    shard.leave(socket)
    socket.session = nil
    socket.dropWork()
    for outcome in socket.acks.settleAll() { outcome(.failure(.disconnected)) }
    if socket.isAnnounced { socket.handlers.disconnected?(socket, reason) }
  }

  // MARK: Events

  private func deliver(_ event: SocketEvent, _ namespace: String) {
    guard let socket = socket(in: namespace) else { return }
    let handlers = socket.handlers
    let named = handlers.named[event.name]
    guard handlers.event != nil || named != nil else { return }
    let event = Event(name: event.name, arguments: event.arguments, acknowledge: acknowledgement(socket, event.id))
    handlers.event?(socket, event)
    do {
      try named?(socket, event)
    } catch {
      socket.refuse(event, error)
    }
  }

  private func acknowledgement(_ socket: Socket, _ id: AckID?) -> Acknowledgement? {
    guard let id else { return nil }
    let once = Once()
    return Acknowledgement { arguments in
      guard once.first() else { return }
      let message = OutboundMessage(
        .ack(id, arguments: arguments.joined, namespace: socket.namespace, attachments: arguments.attachments))
      socket.onLoop { $0.session?.send(message) }
    }
  }
}
