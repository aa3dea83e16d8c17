import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  /// What carries packets now.
  enum Carrier {
    case none
    /// Yielding tells that there is something to post.
    case polling(AsyncStream<Void>.Continuation)
    case webSocket(WebSocketTransport)
  }

  /// One connection from its first attempt to its end.
  struct Connection {
    let id: Int
    /// Takes the reason of its end.
    let end: AsyncStream<Failure>.Continuation
    var engine: EngineClientSession
    var socket: SocketClientSession
    var carrier = Carrier.none
    /// The WebSocket that is to become the carrier.
    var upgrade: WebSocketTransport?
    /// What came before the WebSocket was handed over.
    var early: [WebSocketTransport.Event] = []
    /// What waits for the next POST.
    var outbox: [EnginePacket] = []
    var isPolling = true
    var isPosting = false
    /// No further request may begin, as the upgrade is about to be completed.
    var isPausing = false
    var timer: Scheduled<Void>?
    var wasOpened = false
    /// It is about to end. What still comes follows something that was not understood, so it is not told.
    var hasFailed = false
    /// Those that ask the application for its credentials.
    var credentials: [String: Task<Void, Never>] = [:]

    init(id: Int, _ configuration: Configuration, end: AsyncStream<Failure>.Continuation) {
      self.id = id
      self.end = end
      engine = EngineClientSession(revision: configuration.revision, transport: .polling)
      socket = SocketClientSession(revision: configuration.revision, maxAttachments: configuration.maxAttachments)
    }
  }

  private static func now() -> Milliseconds {
    Milliseconds(NIODeadline.now().uptimeNanoseconds / 1_000_000)
  }

  /// Sends packets by whatever carries them now.
  func transmit(_ packets: [EnginePacket]) {
    switch connection?.carrier {
    case .webSocket(let transport): transport.send(packets)
    case .polling(let wakeup):
      connection?.outbox += packets
      wakeup.yield()
    case .some(.none), nil: break
    }
  }

  /// Whether the network keeps up.
  var isWritable: Bool {
    guard let connection else { return false }
    if case .webSocket(let transport) = connection.carrier { return transport.isWritable }
    return connection.outbox.reduce(0) { $0 + $1.data.count } < configuration.maxWaitingBytes
  }

  // MARK: Receiving

  func handle(_ event: WebSocketTransport.Event, connection id: Int, isUpgrade: Bool) {
    guard let current = connection, current.id == id else { return }
    let isCarrier = !isUpgrade || current.engine.transport == .webSocket
    if !isUpgrade, case .none = current.carrier {
      connection?.early.append(event)
      return
    }
    switch event {
    case .packet(let packet) where isCarrier: received(packet, connection: id)
    case .packet(let packet): receivedOnUpgrade(packet, connection: id)
    case .explanation(let failure) where isCarrier: fail(failure, connection: id)
    case .garbage where isCarrier: fail(.lost(.parseError), connection: id)
    case .closed where isCarrier: fail(.lost(.transportClose), connection: id)
    case .explanation, .garbage, .closed: upgradeLost(connection: id)
    }
  }

  private func upgradeLost(connection id: Int) {
    connection?.engine.upgradeLost()
    connection?.upgrade?.close()
    connection?.upgrade = nil
    // Polling has ended for an upgrade that will not come.
    if connection?.isPausing == true { fail(.lost(.transportError), connection: id) }
  }

  func received(_ packet: EnginePacket, connection id: Int) {
    guard let current = connection, current.id == id, !current.hasFailed else { return }
    perform(connection?.engine.received(packet, at: Self.now()) ?? .none, packet, connection: id)
  }

  private func perform(_ action: EngineClientSession.Action, _ packet: EnginePacket?, connection id: Int) {
    switch action {
    case .none: break
    case .opened:
      connection?.wasOpened = true
      watchHeartbeat(connection: id)
      for namespace in memberships.keys { join(namespace) }
    case .send(let answer):
      transmit([answer])
      watchHeartbeat(connection: id)
    case .deliver:
      if let packet, let action = connection?.socket.received(packet) { perform(action, connection: id) }
    case .close(let reason):
      fail(connection?.wasOpened == true ? .lost(reason) : .notSocketIO("it sent no open packet"), connection: id)
    }
  }

  private func perform(_ action: SocketClientSession.Action, connection id: Int) {
    switch action {
    case .none: break
    case .connected(let namespace, let sid, let pid): connected(to: namespace, sid: sid, pid: pid)
    case .refused(let namespace, let error):
      claims[namespace] = nil
      refused(namespace, Refusal(json: error))
    case .event(let namespace, let event):
      let event = withoutOffset(event, in: namespace)
      tell(namespace, .event(event))
      publish(event, in: namespace)
    case .ack(let namespace, let number, let arguments):
      settle(Awaited(namespace: namespace, id: number), .success(arguments))
    case .disconnected(let namespace):
      claims[namespace] = nil
      forgetAcks { $0.namespace == namespace }
      tell(namespace, .disconnected(.serverNamespaceDisconnect))
      dropUnread(namespace, nil)
    case .close(let reason): fail(.lost(reason), connection: id)
    }
  }

  private func connected(to namespace: String, sid: String, pid: String?) {
    let former = claims[namespace]
    let isRecovered = pid != nil && former?.pid == pid
    claims[namespace] = configuration.recovery ? pid.map { RecoveryClaim(pid: $0, offset: nil) } : nil
    if isRecovered { claims[namespace] = former }
    tell(namespace, .connected(sid: sid, recovered: isRecovered))
    settleJoining(namespace, .success(()))
  }

  /// Where the server can recover connections, the last argument of an event is its offset, not the application's.
  private func withoutOffset(_ event: SocketEvent, in namespace: String) -> SocketEvent {
    guard claims[namespace] != nil, event.id == nil, let last = event.arguments.values.last,
      let offset = JSONText.string(last[...])
    else { return event }
    claims[namespace]?.offset = offset
    var event = event
    event.arguments.values.removeLast()
    return event
  }

  // MARK: Time

  func watchOpening(connection id: Int) {
    connection?.timer = loop.scheduleTask(in: TimeAmount(configuration.connectTimeout)) { [weak self] () -> Void in
      self?.assumeIsolated { $0.fail(.timedOut, connection: id) }
    }
  }

  private func watchHeartbeat(connection id: Int) {
    connection?.timer?.cancel()
    guard let deadline = connection?.engine.nextDeadline, deadline != .max else { return }
    connection?.timer = loop.scheduleTask(in: .milliseconds(deadline - Self.now())) { [weak self] () -> Void in
      self?.assumeIsolated { $0.tick(connection: id) }
    }
  }

  private func tick(connection id: Int) {
    guard connection?.id == id else { return }
    perform(connection?.engine.tick(at: Self.now()) ?? .none, nil, connection: id)
  }

  // MARK: The end

  /// Ends a connection that broke the protocol, fell silent or was lost. Only the first reason counts.
  func fail(_ failure: Failure, connection id: Int) {
    guard connection?.id == id else { return }
    connection?.hasFailed = true
    connection?.end.yield(failure)
  }

  /// The connection is gone.
  func endConnection(_ failure: Failure, tellDisconnected: Bool) {
    guard let ended = connection else { return }
    connection = nil
    ended.end.finish()
    ended.timer?.cancel()
    for task in ended.credentials.values { task.cancel() }
    ended.upgrade?.close()
    switch ended.carrier {
    case .webSocket(let transport): transport.close()
    case .polling(let wakeup): wakeup.finish()
    case .none: break
    }
    forgetAcks { _ in true }
    guard tellDisconnected else { return }
    for namespace in memberships.keys where ended.socket.isJoined(namespace) {
      tell(namespace, .disconnected(failure.reason))
    }
  }
}
