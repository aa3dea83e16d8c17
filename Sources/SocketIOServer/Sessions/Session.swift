import DequeModule
import HTTPTypes
import Logging
import NIOCore
import SocketIOProtocol

/// One Engine.IO session with its sockets, on one event loop.
///
/// Unchecked: accessed only on `shard.loop`.
final class Session: TimerWheelEntry, @unchecked Sendable {
  let shard: LoopShard
  let id: String
  let handshake: Handshake
  /// The `Origin` of the latest request that had one.
  private(set) var origin: String?
  /// Releases the session's reservation.
  let release: @Sendable () -> Void
  var engine: EngineServerSession
  var socketIO: SocketServerSession
  /// The WebSocket that is the transport.
  var link: WebSocketLink?
  /// The WebSocket of an upgrade in progress.
  var upgradeLink: WebSocketLink?
  /// Counts the upgrades, so that work begun for one is not continued for another.
  var upgradeNumber = 0
  /// Packets that wait for the next long-polling answer.
  var queue: Deque<OutboundPacket> = []
  var queuedBytes = 0
  /// Waiting bytes of an event that exceeds the limit; they do not count against it.
  var oversize = 0
  /// When the client is closed if it has not received them.
  var oversizeDeadline = Milliseconds.max
  /// Unread bytes that are replies to the client's own packets.
  var unreadReplyBytes = 0
  /// The reply to the waiting long-polling GET.
  var poll: PollReply?
  /// Counts the GETs that waited, so that the end of an old connection is not taken for the end of a newer one.
  var pollNumber = 0
  var sockets: [Socket] = []
  var eventRoom = EventRoom()
  var admissions: [PendingAdmission] = []
  var admissionNumber = 0
  /// Set if the session ends after its waiting packets are delivered.
  var drain: Drain?
  private var connectDeadline: Milliseconds
  /// Whether the waiting GET will be answered at the next flush.
  var isAnswerDue = false
  /// Set once a hook has disturbed the session.
  var disturbance: Disturbance?
  var timerPlace: TimerWheel.Place?

  init(shard: LoopShard, handshake: Handshake, transport: EngineTransport, release: @escaping @Sendable () -> Void) {
    self.shard = shard
    self.release = release
    self.handshake = handshake
    origin = handshake.headers[.origin]
    let configuration = shard.core.configuration
    let now = Milliseconds.uptime
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

  /// Notes a further request of this session.
  func note(_ request: EngineRequest) {
    origin = request.headers[.origin] ?? origin
  }

  // MARK: Time

  var timerDeadline: Milliseconds {
    disturbance?.silentUntil ?? min(engine.nextDeadline, connectDeadline, drain?.deadline ?? .max, oversizeDeadline)
  }

  func timerFired(at now: Milliseconds) {
    catchUp(at: now)
    if !engine.isClosed { shard.schedule(self) }
  }

  /// Handles all due deadlines, so that timeouts are exact although the wheel turns late.
  func catchUp(at now: Milliseconds) {
    while !engine.isClosed, timerDeadline <= now { meetDeadline(at: now) }
  }

  private func meetDeadline(at now: Milliseconds) {
    let deadline = timerDeadline
    if isSilent { return close(.transportClose) }
    if let drain, now >= drain.deadline { return close(drain.reason) }
    if now >= oversizeDeadline { return endOversize() }
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

  /// A namespace was joined, so the session may stay.
  func stay() {
    connectDeadline = .max
  }

  // MARK: Receiving

  /// A packet arrived over the session's transport.
  ///
  /// - Parameters:
  ///   - isLate: Whether it arrived by a POST that the session's upgrade overtook.
  ///   - isPastHook: Whether the packet hook has had it already.
  func received(_ packet: EnginePacket, isLate: Bool = false, isPastHook: Bool = false) {
    guard isPastHook || passes(.received(packet), by: .transport(isLate: isLate)) else { return }
    let deadline = timerDeadline
    switch engine.received(packet, at: Milliseconds.uptime) {
    case .none:
      // A pong makes the next ping the earlier deadline if the interval is shorter than the timeout.
      if timerDeadline < deadline { shard.schedule(self) }
    case .deliver: deliver(packet, isLate: isLate)
    case .pong where hasNoHeartbeat: break
    case .pong(let data): reply(OutboundPacket(EnginePacket(.pong, data)))
    case .close(let reason): close(reason, pollAnswer: packet.kind == .close ? .noop : .close)
    }
  }

  private func deliver(_ message: EnginePacket, isLate: Bool) {
    guard drain == nil else { return }
    if let engineHandler = core.engineHandler {
      engineHandler(EngineConnection(session: self), message)
    } else {
      let action = isLate ? socketIO.receivedLate(message) : socketIO.received(message)
      if case .close = action, sockets.isEmpty { core.adviseOnParser(of: message) }
      handle(action)
    }
  }
}
