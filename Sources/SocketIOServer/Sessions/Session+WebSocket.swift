import DequeModule
import NIOCore
import SocketIOProtocol

extension Session {
  /// The WebSocket of a session that begins with one is open.
  func opened(by link: WebSocketLink) {
    self.link = link
    send(openPacket)
    begin()
  }

  /// Starts the Socket.IO layer. Engine.IO 3 clients join the main namespace automatically.
  func begin() {
    guard core.engineHandler == nil else { return }
    handle(socketIO.opened())
  }

  /// A WebSocket for this session was opened. Returns whether the upgrade may continue.
  func upgradeArrived(_ link: WebSocketLink) -> Bool {
    guard engine.upgradeArrived(at: Milliseconds.uptime) else { return false }
    upgradeLink = link
    upgradeNumber += 1
    shard.schedule(self)
    return true
  }

  /// A message arrived over one of the session's WebSockets.
  func received(_ frame: EngineFrame, from source: WebSocketLink) {
    guard let packet = try? EnginePacket(frame: frame, revision) else {
      if source === link { close(.parseError) } else { abandonUpgrade() }
      return
    }
    if source === link {
      received(packet)
    } else if source === upgradeLink, passes(.received(packet), by: .upgrade(upgradeNumber)) {
      received(packet, onUpgrade: upgradeNumber)
    }
  }

  /// A packet arrived over the WebSocket of an upgrade, and has passed the packet hook.
  func received(_ packet: EnginePacket, onUpgrade number: Int) {
    let now = Milliseconds.uptime
    catchUp(at: now)
    guard let source = upgradeLink, upgradeNumber == number else { return }
    switch engine.receivedOnUpgrade(packet, at: now) {
    case .none:
      break
    case .answerProbe:
      source.write(OutboundPacket(EnginePacket(.pong, EnginePacket.probe)).frame)
      source.flush()
      releasePolls(for: upgradeNumber)
    case .complete:
      releasePoll()
      upgradeLink = nil
      link = source
      if engine.takesLatePosts { socketIO.beginLatePosts() }
      shard.schedule(self)
      tell(.upgraded)
      while let packet = queue.popFirst() { source.write(packet, revision) }
      queuedBytes = 0
      source.flush()
      for socket in sockets {
        socket.noteUpgrade()
        shard.observer?.note(socket) { .upgraded(namespace: $0.namespace, id: $0.id, transport: $0.transport) }
      }
      if let drain { close(drain.reason) }
    case .abandon:
      abandonUpgrade()
    }
  }

  /// Answers waiting GETs from time to time while an upgrade is in progress.
  private func releasePolls(for number: Int) {
    shard.loop.scheduleTask(in: .milliseconds(max(1, core.configuration.upgradeNoopInterval.milliseconds))) {
      guard self.upgradeLink != nil, self.upgradeNumber == number else { return }
      self.releasePoll()
      self.releasePolls(for: number)
    }
  }

  func abandonUpgrade() {
    engine.upgradeLost()
    upgradeLink?.close(nil)
    upgradeLink = nil
  }

  /// A WebSocket of the session was closed.
  func lost(_ source: WebSocketLink, _ reason: DisconnectReason) {
    if source === link {
      link = nil
      close(reason)
    } else if source === upgradeLink {
      upgradeLink = nil
      engine.upgradeLost()
    }
  }
}
