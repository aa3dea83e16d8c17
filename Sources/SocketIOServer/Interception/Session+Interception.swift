import DequeModule
import Logging
import NIOCore
import SocketIOProtocol

extension Session {
  var isSilent: Bool { interception?.silentUntil != nil }
  var hasNoHeartbeat: Bool { interception?.hasNoHeartbeat ?? false }

  /// Lets a packet go its way, unless the interceptor wants otherwise.
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
      state.hasNoHeartbeat = true
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

  private var state: Interception {
    if let interception { return interception }
    let state = Interception()
    interception = state
    return state
  }

  // MARK: Packets that wait

  /// Behind what waits in front of it.
  private func proceed(_ content: InterceptedPacket.Content) {
    if interception?.delayed[content.direction]?.isEmpty == false { return delay(content, until: .now()) }
    arrive(content)
    releaseHeldBack(behind: content)
  }

  /// The packet is where it was sent to.
  private func arrive(_ content: InterceptedPacket.Content) {
    switch content {
    case .received(let packet, let isLate): take(packet, isLate: isLate)
    case .receivedOnUpgrade(let packet, let link): takeOnUpgrade(packet, from: link)
    case .sent(let packet): transmit(packet)
    }
  }

  /// Counts a packet that waits; nil if there are too many.
  private func keepWaiting(_ content: InterceptedPacket.Content) -> Int? {
    guard state.waitingBytes + content.size <= core.configuration.maxOutboundBytesPerSocket else {
      core.logger.info("Client closed: too much of it is held back", metadata: ["sid": "\(id)"])
      endSoon { $0.close(.transportError) }
      return nil
    }
    state.waitingBytes += content.size
    return state.makeNumber()
  }

  private func delay(_ content: InterceptedPacket.Content, until due: NIODeadline) {
    let direction = content.direction
    guard let number = keepWaiting(content) else { return }
    let isFirst = state.delayed[direction]?.isEmpty ?? true
    state.delayed[direction, default: []].append(.init(number: number, packet: content, due: due, endsWithNext: false))
    if isFirst { scheduleDelayed(direction) }
  }

  private func scheduleDelayed(_ direction: InterceptedPacket.Direction) {
    guard let due = state.delayed[direction]?.first?.due else { return }
    shard.loop.scheduleTask(deadline: due) { self.deliverDelayed(direction) }
  }

  private func deliverDelayed(_ direction: InterceptedPacket.Direction) {
    while let first = state.delayed[direction]?.first, first.due <= .now() {
      state.delayed[direction]?.removeFirst()
      state.waitingBytes -= first.packet.size
      guard !isSilent, !engine.isClosed else { continue }
      arrive(first.packet)
      releaseHeldBack(behind: first.packet)
    }
    scheduleDelayed(direction)
  }

  /// - Parameter endsWithNext: Whether the next packet of its kind releases it before this time.
  private func holdBack(_ content: InterceptedPacket.Content, until time: Duration, endsWithNext: Bool) {
    guard let number = keepWaiting(content) else { return }
    state.heldBack.append(.init(number: number, packet: content, due: .now(), endsWithNext: endsWithNext))
    shard.loop.scheduleTask(in: .milliseconds(time.milliseconds)) {
      self.release { $0.number == number }
    }
  }

  private func releaseHeldBack(behind content: InterceptedPacket.Content) {
    guard interception?.heldBack.contains(where: \.endsWithNext) ?? false else { return }
    let packet = InterceptedPacket(content: content, session: self)
    let stream = (packet.direction, packet.kind, packet.socketPacket?.namespace)
    release {
      let held = InterceptedPacket(content: $0.packet, session: self)
      return $0.endsWithNext && (held.direction, held.kind, held.socketPacket?.namespace) == stream
    }
  }

  private func release(where isDue: (Interception.Waiting) -> Bool) {
    let due = state.heldBack.filter(isDue)
    state.heldBack.removeAll { waiting in due.contains { $0.number == waiting.number } }
    for waiting in due {
      state.waitingBytes -= waiting.packet.size
      if !isSilent, !engine.isClosed { arrive(waiting.packet) }
    }
  }

  // MARK: Endings

  /// Does something to the session that a packet brought about: at once if the client sent it, else never amid a broadcast.
  private func end(
    _ packet: InterceptedPacket, isWholeSession: Bool = true, _ body: @escaping @Sendable (Session) -> Void
  ) {
    guard packet.direction == .toClient else { return body(self) }
    if isWholeSession { return endSoon(body) }
    shard.loop.execute { body(self) }
  }

  private func endSoon(_ body: @escaping @Sendable (Session) -> Void) {
    state.isEnding = true
    shard.loop.execute {
      self.interception?.isEnding = false
      body(self)
    }
  }

  /// Answers a CONNECT that the session does not get to see.
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

  /// What the interceptor itself has the server say is not shown to it.
  private func withoutInterceptor(_ body: () -> Void) {
    state.isBypassed = true
    body()
    state.isBypassed = false
  }

  private func fallSilent() {
    state.silentUntil = LoopShard.now + Interception.maxSilence
    state.delayed = [:]
    state.heldBack = []
    queue = []
    queuedBytes = 0
    link?.fallSilent()
    upgradeLink?.fallSilent()
  }

  private func reset() {
    state.wasReset = true
    let poll = poll
    self.poll = nil
    if poll != nil { engine.pollAnswered() }
    poll?(.reset)
    link?.reset()
    close(.transportError)
  }

  /// Keeps a request of a silent session until the session ends, which it does with the request's connection.
  func leaveUnanswered(over channel: any Channel, _ answer: @escaping @Sendable () -> Void) {
    let number = state.makeNumber()
    state.unanswered[number] = answer
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
  /// The probe of an upgrade is a ping, too, and none of the heartbeat.
  fileprivate var isHeartbeat: Bool {
    if case .receivedOnUpgrade = content { false } else { kind == .ping || kind == .pong }
  }
}

extension InterceptedPacket.Content {
  fileprivate var direction: InterceptedPacket.Direction {
    if case .sent = self { .toClient } else { .fromClient }
  }
}
