import DequeModule
import HTTPTypes
import Logging
import NIOCore
import SocketIOProtocol

/// One Engine.IO session with its sockets, on one event loop.
///
/// Unchecked: touched on `shard.loop` only.
final class Session: TimerWheelEntry, @unchecked Sendable {
  let shard: LoopShard
  let id: String
  let handshake: Handshake
  /// The `Origin` of the latest request that had one.
  private(set) var origin: String?
  /// Gives the session's place back.
  let release: @Sendable () -> Void
  var engine: EngineServerSession
  var socketIO: SocketServerSession
  /// The WebSocket that is the transport.
  var link: WebSocketLink?
  /// The WebSocket that wants to become the transport.
  var upgradeLink: WebSocketLink?
  /// Counts the WebSockets that wanted to, so that what was begun for one is not gone on with for another.
  var upgradeNumber = 0
  /// What waits for the next long-polling answer.
  var queue: Deque<OutboundPacket> = []
  var queuedBytes = 0
  /// The size of an event that found nothing waiting and is larger than all that may wait: it does not count.
  var oversize = 0
  /// Of those what answers the client's own packets, since everything was read the last time.
  private var unreadReplyBytes = 0
  /// The long-polling GET that waits.
  var poll: PollReply?
  /// Counts the GETs that waited, so that the end of an old connection is not taken for the end of a newer one.
  var pollNumber = 0
  var sockets: [Socket] = []
  var admissions: [PendingAdmission] = []
  var admissionNumber = 0
  /// Set when the session is to end once what waits has been fetched.
  var drainDeadline: Milliseconds?
  private var connectDeadline: Milliseconds
  private var isDirty = false
  /// Set once an interceptor has disturbed the session.
  var interception: Interception?
  var timerPlace: TimerWheel.Place?

  init(shard: LoopShard, handshake: Handshake, transport: EngineTransport, release: @escaping @Sendable () -> Void) {
    self.shard = shard
    self.release = release
    self.handshake = handshake
    origin = handshake.headers[.origin]
    let configuration = shard.core.configuration
    let now = LoopShard.now
    id = shard.makeSessionID(for: handshake)
    engine = EngineServerSession(
      configuration.engineSettings, revision: handshake.revision, transport: transport, at: now)
    socketIO = SocketServerSession(configuration.socketSettings, revision: handshake.revision)
    let awaitsConnect = shard.core.engineHandler == nil
    connectDeadline = awaitsConnect ? now + configuration.connectTimeout.milliseconds : .max
  }

  var core: ServerCore { shard.core }
  var revision: EngineRevision { handshake.revision }

  /// The packet that opens the session.
  var openPacket: OutboundPacket {
    let configuration = core.configuration
    let mayUpgrade =
      engine.transport == .polling && configuration.allowUpgrades && configuration.transports.contains(.webSocket)
    return OutboundPacket(
      EngineOpen(
        sid: id, upgrades: mayUpgrade ? [EngineTransport.webSocket.rawValue] : [],
        pingInterval: configuration.pingInterval.milliseconds, pingTimeout: configuration.pingTimeout.milliseconds,
        maxPayload: configuration.maxHTTPBufferSize
      ).packet)
  }

  /// Tells an interceptor.
  func tell(_ event: SocketIOServer.SessionNews.Event) {
    guard let interceptor = core.configuration.packetInterceptor else { return }
    interceptor.session(.init(event: event, sessionID: id, handshake: handshake, transport: engine.transport))
  }

  /// A further request of this session has come.
  func note(_ request: EngineRequest) {
    origin = request.headers[.origin] ?? origin
  }

  // MARK: Time

  var timerDeadline: Milliseconds {
    interception?.silentUntil ?? min(engine.nextDeadline, connectDeadline, drainDeadline ?? .max)
  }

  func timerFired(at now: Milliseconds) {
    catchUp(at: now)
    if !engine.isClosed { shard.schedule(self) }
  }

  /// Does what is due at this moment, so that time-outs hold although the wheel turns late.
  func catchUp(at now: Milliseconds) {
    while !engine.isClosed, timerDeadline <= now { meetDeadline(at: now) }
  }

  private func meetDeadline(at now: Milliseconds) {
    let deadline = timerDeadline
    if isSilent { return close(.transportClose) }
    if now >= drainDeadline ?? .max {
      return close(.forcedClose)
    }
    if now >= connectDeadline {
      core.advise(
        .info,
        """
        Session closed: the engine opened but no namespace was joined in \(core.configuration.connectTimeout). \
        The client has to send CONNECT, or was released before it could
        """,
        metadata: ["sid": "\(id)", "agent": "\(LogText(handshake.headers[.userAgent] ?? "unknown"))"])
      return close(.transportClose)
    }
    switch engine.tick(at: now) {
    case .none: break
    case .sendPing where hasNoHeartbeat: _ = engine.received(EnginePacket(.pong), at: now)
    case .sendPing: send(OutboundPacket(EnginePacket(.ping)))
    case .close(let reason): close(reason, at: deadline)
    case .abandonUpgrade: abandonUpgrade()
    case .endLatePosts: socketIO.endLatePosts()
    }
  }

  /// A namespace has been joined: the session may stay.
  func stay() {
    connectDeadline = .max
  }

  // MARK: Receiving

  /// A packet came by the session's transport.
  ///
  /// - Parameter isLate: It came by a POST that the session's upgrade overtook.
  func received(_ packet: EnginePacket, isLate: Bool = false) {
    guard let interceptor = core.configuration.packetInterceptor else { return take(packet, isLate: isLate) }
    pass(.received(packet, isLate: isLate), interceptor)
  }

  func take(_ packet: EnginePacket, isLate: Bool) {
    let deadline = timerDeadline
    switch engine.received(packet, at: LoopShard.now) {
    case .none:
      // A pong brings the next ping nearer where the interval is shorter than the time-out.
      if timerDeadline < deadline { shard.schedule(self) }
    case .deliver: deliver(packet, isLate: isLate)
    case .pong where hasNoHeartbeat: break
    case .pong(let data): reply(OutboundPacket(EnginePacket(.pong, data)))
    case .close(let reason): close(reason, pollAnswer: packet.kind == .close ? .noop : .close)
    }
  }

  private func deliver(_ message: EnginePacket, isLate: Bool) {
    if let engineHandler = core.engineHandler {
      engineHandler(EngineConnection(session: self), message)
    } else {
      handle(isLate ? socketIO.receivedLate(message) : socketIO.received(message))
    }
  }

  // MARK: Sending

  func send(_ message: OutboundMessage) {
    makeRoom(for: message.size)
    send(message.text)
    for attachment in message.attachments { send(attachment) }
  }

  /// A client that keeps up may get an event however large: it is what waits beside it that tells of one that does not.
  func makeRoom(for size: Int) {
    let isLarge = size > core.configuration.maxOutboundBytesPerSocket
    guard isLarge || oversize > 0, link?.isIdle ?? queue.isEmpty else { return }
    oversize = isLarge ? size : 0
  }

  /// Whether the client can take something at once.
  var isWritable: Bool {
    engine.transport == .polling ? poll != nil && queue.isEmpty : link?.isIdle ?? false
  }

  /// Sends the answer to a packet of the client's. Nobody need be let in to ask, so what they leave unread is little.
  func reply(_ packet: OutboundPacket) {
    if link?.isIdle ?? queue.isEmpty { unreadReplyBytes = 0 }
    unreadReplyBytes += packet.size
    guard unreadReplyBytes <= core.configuration.maxUnreadReplyBytes else {
      core.logger.debug("Client closed: it asks and does not read", metadata: ["sid": "\(id)"])
      return close(.transportError)
    }
    send(packet)
  }

  func send(_ packet: OutboundPacket) {
    guard !engine.isClosed, drainDeadline == nil else { return }
    guard let interceptor = core.configuration.packetInterceptor else { return transmit(packet) }
    pass(.sent(packet), interceptor)
  }

  func transmit(_ packet: OutboundPacket) {
    guard !engine.isClosed, drainDeadline == nil else { return }
    if let link {
      link.write(packet.frame(revision))
      markDirty()
      return
    }
    let limit = core.configuration.maxOutboundBytesPerSocket + oversize
    guard queuedBytes <= limit else { return }
    queue.append(packet)
    queuedBytes += packet.size
    if queuedBytes > limit {
      // As for a WebSocket: never amid a broadcast.
      shard.loop.execute {
        self.core.logger.info("Client closed: it does not keep up", metadata: ["sid": "\(self.id)"])
        self.close(.transportError)
      }
    } else if poll != nil {
      markDirty()
    }
  }

  private func markDirty() {
    guard !isDirty else { return }
    isDirty = true
    shard.needsFlush(self)
  }

  func flush() {
    isDirty = false
    if let link {
      link.flush()
    } else {
      answerPoll()
    }
  }

  // MARK: Closing

  enum PollAnswer {
    case close
    case noop
  }

  /// Ends the session now.
  ///
  /// - Parameter time: When it ended. The time that its clients have to return (`Recovery`) counts from here, even if the
  ///   end was noticed later.
  func close(
    _ reason: DisconnectReason, code: UInt16? = nil, pollAnswer: PollAnswer = .close,
    at time: Milliseconds = LoopShard.now
  ) {
    guard shard.sessions[id] === self else { return }
    tell(.closed(reason))
    core.logger.debug("Session closed", metadata: ["sid": "\(id)", "reason": "\(reason.rawValue)"])
    engine.close()
    shard.remove(self)
    for admission in admissions { admission.task?.cancel() }
    admissions = []
    for socket in sockets { removed(socket, reason, at: time) }
    sockets = []
    poll?(pollReply([OutboundPacket(EnginePacket(pollAnswer == .close ? .close : .noop))]))
    poll = nil
    queue = []
    link?.close(code)
    upgradeLink?.close(code)
    link = nil
    upgradeLink = nil
    if interception != nil { endInterception() }
  }

  /// Ends the session once the client has what waits for it.
  func closeAfterDelivery(_ reason: DisconnectReason) {
    guard link == nil, !engine.isClosed else { return close(reason) }
    send(OutboundPacket(EnginePacket(.close)))
    for socket in sockets { removed(socket, reason) }
    sockets = []
    drainDeadline = LoopShard.now + core.configuration.pingTimeout.milliseconds
    shard.schedule(self)
    answerPoll()
  }
}
