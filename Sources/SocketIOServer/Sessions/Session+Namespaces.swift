import Logging
import SocketIOProtocol

/// A client's CONNECT that the application has not answered yet.
struct PendingAdmission {
  let namespace: String
  /// Tells this CONNECT from an earlier one for the same namespace, whose decision may still be on its way.
  let number: Int
  let task: Task<Void, Never>
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
    case .ack(let namespace, let id, let arguments): socket(in: namespace)?.acks.received(id, arguments)
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
    guard let admit = handlers.admit else { return join(namespace, SocketData(), handlers) }
    let request = ConnectRequest(namespace: namespace, auth: auth, handshake: handshake)
    admissionNumber += 1
    let number = admissionNumber
    // Unstructured: it lives as long as the session keeps it, and is cancelled from there.
    let task = Task { [shard] in
      let admission = await admit(request)
      guard !Task.isCancelled else { return }
      shard.run { _ in self.decided(number, admission, handlers) }
    }
    admissions.append(PendingAdmission(namespace: namespace, number: number, task: task))
  }

  private func decided(_ number: Int, _ admission: Admission, _ handlers: NamespaceHandlers) {
    guard let index = admissions.firstIndex(where: { $0.number == number }) else { return }
    let namespace = admissions.remove(at: index).namespace
    switch admission {
    case .accept(let data):
      join(namespace, data, handlers)
    case .refuse(let message, let data):
      guard socketIO.refuse(namespace: namespace) else { return }
      sendRefusal(namespace, message: message, data: data)
    }
  }

  private func join(_ namespace: String, _ data: SocketData, _ handlers: NamespaceHandlers) {
    guard socketIO.accept(namespace: namespace) else { return }
    stay()
    let socket = Socket(
      id: makeSocketID(namespace), namespace: namespace, data: data, session: self, handlers: handlers)
    sockets.append(socket)
    shard.join(socket)
    sendConnected(socket)
    // Sending may have found the connection gone, and closed the session with this socket in it.
    guard socket.session != nil else { return }
    handlers.connected?(socket)
  }

  private func makeSocketID(_ namespace: String) -> String {
    switch revision {
    case .v4: SessionID.make(shard: shard.index)
    case .v3: namespace == SocketPacket.mainNamespace ? id : "\(namespace)#\(id)"
    }
  }

  private func sendConnected(_ socket: Socket) {
    let payload = revision == .v4 ? Array(#"{"sid":"\#(socket.id)"}"#.utf8) : []
    send(OutboundMessage(SocketPacket(.connect, namespace: socket.namespace, payload: payload)))
  }

  private func sendRefusal(_ namespace: String, message: String, data: [UInt8]) {
    var payload = Array(#"{"message":"#.utf8) + JSONText.quotedBytes(message)
    if !data.isEmpty { payload += Array(#","data":"#.utf8) + data }
    payload.append(UInt8(ascii: "}"))
    if revision == .v3 { payload = data.isEmpty ? JSONText.quotedBytes(message) : data }
    send(OutboundMessage(SocketPacket(.connectError, namespace: namespace, payload: payload)))
  }

  // MARK: Leaving

  private func left(_ namespace: String, wasJoined: Bool) {
    if let index = admissions.firstIndex(where: { $0.namespace == namespace }) {
      admissions.remove(at: index).task.cancel()
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
  func removed(_ socket: Socket, _ reason: DisconnectReason) {
    shard.leave(socket)
    socket.session = nil
    socket.acks.failAll()
    socket.handlers.disconnected?(socket, reason)
  }

  // MARK: Events

  private func deliver(_ event: SocketEvent, _ namespace: String) {
    guard let socket = socket(in: namespace), let handler = socket.handlers.event else { return }
    handler(socket, Event(name: event.name, arguments: event.arguments, acknowledge: acknowledger(socket, event.id)))
  }

  private func acknowledger(_ socket: Socket, _ id: AckID?) -> (@Sendable (SocketArguments) -> Void)? {
    guard let id else { return nil }
    let once = Once()
    return { arguments in
      guard once.first() else { return }
      let message = OutboundMessage(
        .ack(id, arguments: arguments.joined, namespace: socket.namespace, attachments: arguments.attachments))
      socket.onLoop { $0.session?.send(message) }
    }
  }
}
