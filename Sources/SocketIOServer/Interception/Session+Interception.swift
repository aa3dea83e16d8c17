import DequeModule
import NIOCore
import SocketIOProtocol

extension Session {
  var isSilent: Bool { interception?.silentUntil != nil }
  var hasNoHeartbeat: Bool { interception?.hasNoHeartbeat ?? false }

  /// Delivers a packet, unless the interceptor decides otherwise.
  func pass(_ content: InterceptedPacket.Content, _ interceptor: SocketIOServer.PacketInterceptor) {
    if let interception {
      guard interception.silentUntil == nil, !interception.isEnding else { return }
      if interception.isBypassed { return arrive(content) }
    }
    guard interceptor.isActive() else { return proceed(content) }
    let packet = InterceptedPacket(content: content, session: self)
    perform(interceptor.packet(packet), packet)
  }

  private func perform(_ action: SocketIOServer.PacketAction, _ packet: InterceptedPacket) {
    let content = packet.content
    switch action {
    case .pass: proceed(content)
    case .drop: break
    case .duplicate(let times):
      for _ in 0...min(max(0, times), Interception.maxCopies) { proceed(content) }
    case .replace(let bytes):
      guard let changed = content.replaced(bytes, isBinary: packet.isBinary) else { return close(.parseError) }
      proceed(changed)
    case .delay(let time, .overtaken): holdBack(content, until: time, endsWithNext: false)
    case .delay(let time, .kept): delay(content, until: .now() + .milliseconds(time.milliseconds))
    case .holdBack(let time): holdBack(content, until: time, endsWithNext: true)
    case .stopHeartbeat:
      disturbance.hasNoHeartbeat = true
      if !packet.isHeartbeat { proceed(content) }
    case .refuse(let message): refuse(packet, message)
    case .disconnect:
      let namespace = packet.socketPacket?.namespace
      end(packet, isWholeSession: false) { $0.disconnectSocket(of: namespace) }
    case .fallSilent: fallSilent()
    case .close(let code): end(packet) { $0.close(.forcedClose, code: code) }
    case .reset: end(packet) { $0.reset() }
    }
  }

  // MARK: Endings

  /// Changes the session because of a packet: at once if the client sent it, otherwise never during a broadcast.
  private func end(
    _ packet: InterceptedPacket, isWholeSession: Bool = true, _ body: @escaping @Sendable (Session) -> Void
  ) {
    guard packet.direction == .toClient else { return body(self) }
    if isWholeSession { return endSoon(body) }
    shard.loop.execute { body(self) }
  }

  func endSoon(_ body: @escaping @Sendable (Session) -> Void) {
    disturbance.isEnding = true
    shard.loop.execute {
      self.interception?.isEnding = false
      body(self)
    }
  }

  /// Answers a CONNECT that the session does not receive.
  private func refuse(_ packet: InterceptedPacket, _ message: String) {
    guard case .received = packet.content, let socketPacket = packet.socketPacket, socketPacket.kind == .connect else {
      return
    }
    withoutInterceptor { sendRefusal(socketPacket.namespace, message: message, data: []) }
  }

  private func disconnectSocket(of namespace: String?) {
    guard let socket = namespace.flatMap(socket(in:)) else { return }
    withoutInterceptor { disconnect(socket) }
  }

  /// Packets that the interceptor itself causes bypass it.
  private func withoutInterceptor(_ body: () -> Void) {
    disturbance.isBypassed = true
    body()
    disturbance.isBypassed = false
  }

  private func fallSilent() {
    disturbance.silentUntil = LoopShard.now + Interception.maxSilence
    disturbance.delayed = [:]
    disturbance.heldBack = []
    queue = []
    queuedBytes = 0
    link?.fallSilent()
    upgradeLink?.fallSilent()
  }

  private func reset() {
    disturbance.wasReset = true
    let poll = poll
    self.poll = nil
    if poll != nil { engine.pollAnswered() }
    poll?(.reset)
    link?.reset()
    close(.transportError)
  }

  /// Keeps a request of a silent session until the session ends. The session ends with the request's connection.
  func leaveUnanswered(over channel: any Channel, _ answer: @escaping @Sendable () -> Void) {
    let number = disturbance.makeNumber()
    disturbance.unanswered[number] = answer
    PollWatch.onLoss(of: channel) {
      self.shard.run { _ in
        self.interception?.unanswered.removeValue(forKey: number)?()
        self.close(.transportClose)
      }
    }
  }

  /// The session has ended.
  func endInterception() {
    let unanswered = interception?.unanswered ?? [:]
    interception?.unanswered = [:]
    for answer in unanswered.values { answer() }
    interception?.delayed = [:]
    interception?.heldBack = []
  }
}

extension InterceptedPacket {
  /// The probe of an upgrade is a ping too, but not a heartbeat.
  fileprivate var isHeartbeat: Bool {
    if case .receivedOnUpgrade = content { false } else { kind == .ping || kind == .pong }
  }
}
