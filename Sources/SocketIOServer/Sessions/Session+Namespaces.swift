import Logging
import SocketIOProtocol

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
    case .close(let reason): closeAfterDelivery(reason)
    }
  }

  func socket(in namespace: String) -> Socket? {
    sockets.first { $0.namespace == namespace }
  }

  // MARK: Joining

  func join(
    _ request: ConnectRequest, _ data: SocketData, _ rule: ServerCore.Rule,
    _ restored: RecoveryState<OutboundMessage>.Restored? = nil, _ claim: RecoveryClaim? = nil
  ) {
    let namespace = request.namespace
    guard socketIO.accept(namespace: namespace) else { return }
    stay()
    let serves = core.recovery?.serves(handshake, claim) ?? false
    let pid = restored == nil ? (serves ? SessionID.make(shard: shard.index) : nil) : claim?.pid
    let socket = Socket(
      id: restored?.socket.id ?? makeSocketID(namespace), namespace: namespace, auth: kept(request.auth), data: data,
      session: self, rule: rule, pid: pid, isRecovered: restored != nil)
    sockets.append(socket)
    if let pid, restored == nil { core.recovery?.joined(pid, socket.id, in: namespace, shard: shard.index) }
    socket.replayedThrough = restored?.through ?? 0
    shard.join(socket)
    for room in restored?.socket.rooms ?? [] { shard.join(room, socket) }
    sendConnected(socket)
    for message in restored?.missed ?? [] { send(message) }
    // Sending may have found the connection lost, and closed the session with this socket in it.
    guard socket.session != nil else { return }
    socket.isAnnounced = true
    guard let connected = rule.handlers.connected else { return }
    socket.isWelcoming = true
    connected(socket)
    socket.isWelcoming = false
  }

  /// Most clients send the same payload for all their sockets, so it is kept once.
  private func kept(_ auth: [UInt8]) -> [UInt8] {
    sockets.last.flatMap { $0.auth == auth ? $0.auth : nil } ?? auth
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
    reply(encoded(SocketPacket(.connect, namespace: socket.namespace, payload: payload)).head)
    link?.beginPause(for: core.configuration.connectPause)
  }

  func sendRefusal(_ namespace: String, message: String, data: [UInt8]) {
    var payload = Array(#"{"message":"#.utf8) + JSONText.quotedBytes(message)
    if !data.isEmpty { payload += Array(#","data":"#.utf8) + data }
    payload.append(UInt8(ascii: "}"))
    if revision == .v3 { payload = data.isEmpty ? JSONText.quotedBytes(message) : data }
    reply(encoded(SocketPacket(.connectError, namespace: namespace, payload: payload)).head)
  }

  /// Encodes a packet of the server itself, which is never compressed over WebSocket.
  private func encoded(_ packet: SocketPacket) -> OutboundMessage {
    OutboundMessage(packet, OutboundEncoding(parser: core.configuration.parser))
  }

  // MARK: Leaving

  private func left(_ namespace: String, wasJoined: Bool) {
    if let index = admissions.firstIndex(where: { $0.request.namespace == namespace }) {
      admissions.remove(at: index).task?.cancel()
    }
    guard wasJoined, let index = sockets.firstIndex(where: { $0.namespace == namespace }) else { return }
    removed(sockets.remove(at: index), .clientNamespaceDisconnect)
  }

  /// Removes a socket from its namespace, on the server's initiative.
  func disconnect(_ socket: Socket) {
    guard socketIO.remove(namespace: socket.namespace) else { return }
    sockets.removeAll { $0 === socket }
    send(encoded(SocketPacket(.disconnect, namespace: socket.namespace)))
    removed(socket, .serverNamespaceDisconnect)
  }

  /// Removes the client from all namespaces and ends the session, on the server's initiative.
  func disconnectAll() {
    for socket in sockets { disconnect(socket) }
    closeAfterDelivery(.forcedClose)
  }

  /// Ends a socket that was or is about to be removed from `sockets`.
  func removed(_ socket: Socket, _ reason: DisconnectReason, at time: Milliseconds = Milliseconds.uptime) {
    guard !socket.isLeaving else { return }
    socket.isLeaving = true
    let reason = socket.isDismissed ? .serverNamespaceDisconnect : reason
    socket.announceEnd(reason, isEarly: true)
    if let recovery = core.recovery, let pid = socket.pid {
      recovery.left(pid, rooms: socket.joinedRooms, socket.data, reason, at: time)
      shard.startRecoverySweep(recovery)
    }
    shard.observer?.note(socket) { .disconnected(namespace: $0.namespace, id: $0.id, reason) }
    shard.leave(socket)
    socket.session = nil
    socket.noteEnd()
    socket.dropWork(of: self)
    for outcome in socket.acks.settleAll() { outcome(.failure(.disconnected)) }
    socket.announceEnd(reason, isEarly: false)
    socket.dropListeners()
  }

  // MARK: Events

  private func deliver(_ event: SocketEvent, _ namespace: String) {
    guard let socket = socket(in: namespace) else { return }
    socket.dispatch(event.name) {
      Socket.Event(name: event.name, arguments: event.arguments, acknowledge: acknowledgement(socket, event.id))
    }
  }

  private func acknowledgement(_ socket: Socket, _ id: AckID?) -> Acknowledgement? {
    guard let id else { return nil }
    let once = Once()
    return Acknowledgement { arguments in
      guard once.first() else { return }
      let message = OutboundMessage(
        .ack(id, arguments: arguments.joined, namespace: socket.namespace, attachments: arguments.attachments),
        socket.shard.core.configuration.encoding(compress: true))
      socket.shard.act { _ in socket.reachableSession?.send(message) }
    }
  }
}
