import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  /// One connection from its first attempt to its end.
  struct Connection {
    let id: Int
    var engine = EngineClientSession(transport: .webSocket)
    var socket: SocketClientSession
    var transport: WebSocketTransport?
    /// Packets that came before the transport was handed over.
    var early: [EnginePacket?] = []
    var timer: Scheduled<Void>?
    var wasOpened = false
    /// Why this side ends it.
    var closing: DisconnectReason?

    init(id: Int, maxAttachments: Int) {
      self.id = id
      socket = SocketClientSession(maxAttachments: maxAttachments)
    }
  }

  private static func now() -> Milliseconds {
    Milliseconds(NIODeadline.now().uptimeNanoseconds / 1_000_000)
  }

  /// The WebSocket is open; the server's open packet must follow.
  func started(_ transport: WebSocketTransport, connection id: Int) {
    guard connection?.id == id else { return transport.close() }
    connection?.transport = transport
    connection?.timer = loop.scheduleTask(in: configuration.connectTimeout) { [weak self] () -> Void in
      self?.assumeIsolated { $0.fail(.transportError, connection: id) }
    }
    let early = connection?.early ?? []
    connection?.early = []
    for packet in early { received(packet, connection: id) }
  }

  func received(_ packet: EnginePacket?, connection id: Int) {
    guard connection?.id == id else { return }
    guard connection?.transport != nil else {
      connection?.early.append(packet)
      return
    }
    guard let packet else { return fail(.parseError, connection: id) }
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
      connection?.transport?.send([answer])
      watchHeartbeat(connection: id)
    case .deliver:
      if let packet, let action = connection?.socket.received(packet) { perform(action, connection: id) }
    case .close(let reason): fail(reason, connection: id)
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

  private func perform(_ action: SocketClientSession.Action, connection id: Int) {
    switch action {
    case .none: break
    case .connected(let namespace, let sid, _): tell(namespace, .connected(sid: sid))
    case .refused(let namespace, let error): tell(namespace, .refused(Refusal(json: error)))
    case .event(let namespace, let event): tell(namespace, .event(event))
    case .ack(let namespace, let number, let arguments):
      settle(Awaited(namespace: namespace, id: number), .success(arguments))
    case .disconnected(let namespace):
      forgetAcks { $0.namespace == namespace }
      tell(namespace, .disconnected(.serverNamespaceDisconnect))
    case .close(let reason): fail(reason, connection: id)
    }
  }

  /// Ends a connection that broke the protocol or fell silent.
  private func fail(_ reason: DisconnectReason, connection id: Int) {
    guard connection?.id == id, connection?.closing == nil else { return }
    connection?.closing = reason
    connection?.transport?.close()
  }

  /// The connection is gone.
  func endConnection(_ reason: DisconnectReason, tellDisconnected: Bool) {
    guard let ended = connection else { return }
    connection = nil
    ended.timer?.cancel()
    forgetAcks { _ in true }
    guard tellDisconnected else { return }
    for namespace in memberships.keys where ended.socket.isJoined(namespace) { tell(namespace, .disconnected(reason)) }
  }
}
