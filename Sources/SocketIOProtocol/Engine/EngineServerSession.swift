/// The server's side of one Engine.IO session: transports, heartbeat and upgrade.
///
/// Feed it what happens and do what it answers; it performs no I/O and reads no clock.
public struct EngineServerSession: Sendable {
  /// The settings a session obeys. All times in milliseconds.
  public struct Settings: Equatable, Sendable {
    public var pingInterval: Milliseconds
    public var pingTimeout: Milliseconds
    public var upgradeTimeout: Milliseconds
    /// How long after its upgrade a session still takes POSTs; later ones are refused. Zero: none is taken.
    public var latePostTimeout: Milliseconds

    public init(
      pingInterval: Milliseconds, pingTimeout: Milliseconds, upgradeTimeout: Milliseconds,
      latePostTimeout: Milliseconds = 30_000
    ) {
      self.pingInterval = pingInterval
      self.pingTimeout = pingTimeout
      self.upgradeTimeout = upgradeTimeout
      self.latePostTimeout = latePostTimeout
    }
  }

  /// Whether a deadline is noticed so late that the server must have stood still: what its clients sent meanwhile may not
  /// have been read yet. They get their whole time from now.
  private static func stoodStill(_ deadline: Milliseconds, allowing time: Milliseconds, at now: Milliseconds) -> Bool {
    now - deadline >= min(5000, max(100, time))
  }

  private enum Heartbeat {
    case pingDue(Milliseconds)
    case answerDue(Milliseconds)
  }

  private enum Upgrade {
    case none
    case waiting(deadline: Milliseconds)
    case probed(deadline: Milliseconds)
  }

  private let settings: Settings
  public let revision: EngineRevision
  public private(set) var transport: EngineTransport
  public private(set) var isClosed = false
  /// Whether a GET waits for packets.
  public private(set) var hasPoll = false
  private var hasPost = false
  private var heartbeat: Heartbeat
  private var upgrade = Upgrade.none
  /// Until when POSTs are taken that the upgrade overtook; `nil` before an upgrade and after that time.
  private var latePostDeadline: Milliseconds?

  /// Whether POSTs may come that were sent before the upgrade.
  public var takesLatePosts: Bool { latePostDeadline != nil }

  public init(_ settings: Settings, revision: EngineRevision, transport: EngineTransport, at now: Milliseconds) {
    self.settings = settings
    self.revision = revision
    self.transport = transport
    heartbeat = Self.rested(settings, revision, now)
  }

  private static func rested(_ settings: Settings, _ revision: EngineRevision, _ now: Milliseconds) -> Heartbeat {
    switch revision {
    case .v4: .pingDue(now + settings.pingInterval)
    case .v3: .answerDue(now + settings.pingInterval + settings.pingTimeout)
    }
  }

  /// Ends the session; every later event is ignored.
  public mutating func close() {
    isClosed = true
    upgrade = .none
    latePostDeadline = nil
  }
}

// MARK: - Time

extension EngineServerSession {
  public enum TickAction: Equatable, Sendable {
    case none
    case sendPing
    case close(DisconnectReason)
    /// The upgrade took too long: close the new WebSocket, polling goes on.
    case abandonUpgrade
    /// No POST from before the upgrade is taken any more.
    case endLatePosts
  }

  /// When `tick` next has something to do.
  public var nextDeadline: Milliseconds {
    let heartbeatDeadline =
      switch heartbeat {
      case .pingDue(let deadline), .answerDue(let deadline): deadline
      }
    let upgradeDeadline =
      switch upgrade {
      // A POST that is being read was admitted in time.
      case .none: hasPost ? .max : latePostDeadline ?? .max
      case .waiting(let deadline), .probed(let deadline): deadline
      }
    return min(upgradeDeadline, heartbeatDeadline)
  }

  /// Does one thing that is due; call it again until ``nextDeadline`` is later than `now`. A deadline follows from the one
  /// before, not from when this is called, unless the server stood still.
  public mutating func tick(at now: Milliseconds) -> TickAction {
    guard !isClosed else { return .none }
    if let deadline = latePostDeadline, now >= deadline, !hasPost {
      latePostDeadline = nil
      return .endLatePosts
    }
    if let action = tickUpgrade(at: now) { return action }
    let time = settings.pingTimeout
    switch heartbeat {
    case .pingDue(let deadline) where now >= deadline:
      heartbeat = .answerDue((Self.stoodStill(deadline, allowing: time, at: now) ? now : deadline) + time)
      return .sendPing
    case .answerDue(let deadline) where now >= deadline:
      guard !Self.stoodStill(deadline, allowing: time, at: now) else {
        heartbeat = .answerDue(now + time)
        return .none
      }
      close()
      return .close(.pingTimeout)
    default:
      return .none
    }
  }
}

extension EngineServerSession {
  private mutating func tickUpgrade(at now: Milliseconds) -> TickAction? {
    let renewed = now + settings.upgradeTimeout
    switch upgrade {
    case .waiting(let deadline) where Self.stoodStill(deadline, allowing: settings.upgradeTimeout, at: now):
      upgrade = .waiting(deadline: renewed)
    case .probed(let deadline) where Self.stoodStill(deadline, allowing: settings.upgradeTimeout, at: now):
      upgrade = .probed(deadline: renewed)
    case .waiting(let deadline) where now >= deadline, .probed(let deadline) where now >= deadline:
      upgrade = .none
      return .abandonUpgrade
    case .none, .waiting, .probed:
      break
    }
    return nil
  }
}

// MARK: - Packets

extension EngineServerSession {
  public enum ReceiveAction: Equatable, Sendable {
    case none
    /// A message for the layer above.
    case deliver
    /// Answer with a pong that carries this data.
    case pong([UInt8])
    case close(DisconnectReason)
  }

  /// A packet came by the session's transport.
  public mutating func received(_ packet: EnginePacket, at now: Milliseconds) -> ReceiveAction {
    guard !isClosed else { return .none }
    switch (packet.kind, revision) {
    case (.message, _):
      return .deliver
    case (.pong, .v4):
      heartbeat = Self.rested(settings, revision, now)
      return .none
    case (.ping, .v3):
      heartbeat = Self.rested(settings, revision, now)
      return .pong(packet.data)
    case (.ping, .v4), (.pong, .v3):
      close()
      return .close(.transportError)
    case (.close, _):
      close()
      return .close(.transportClose)
    case (.open, _), (.upgrade, _), (.noop, _):
      return .none
    }
  }
}

// MARK: - Polling

extension EngineServerSession {
  public enum PollAction: Equatable, Sendable {
    /// Keep the request until there is something to send.
    case wait
    case refuse(EngineRefusal)
    /// A second GET: answer the first with a close packet, this one with an empty 400; the session is closed.
    case overlap
  }

  public mutating func pollArrived() -> PollAction {
    guard !isClosed else { return .refuse(.unknownSession) }
    guard transport == .polling else { return .refuse(.badRequest) }
    guard !hasPoll else {
      close()
      return .overlap
    }
    hasPoll = true
    return .wait
  }

  /// The waiting GET has been answered.
  public mutating func pollAnswered() {
    hasPoll = false
  }

  /// The waiting GET's connection is gone. Returns whether that closes the session.
  public mutating func pollAborted() -> Bool {
    guard hasPoll, !isClosed, transport == .polling else { return false }
    hasPoll = false
    close()
    return true
  }

  public enum PostAction: Equatable, Sendable {
    case read
    case refuse(EngineRefusal)
    /// A second POST while one is read: answer an empty 400; the session is closed.
    case overlap
  }

  /// A POST arrived. For a while after an upgrade it is one that the upgrade overtook: socket.io-client-swift completes
  /// its upgrade without waiting for the POST that joins its namespaces, and never repeats it.
  public mutating func postArrived(at now: Milliseconds) -> PostAction {
    guard !isClosed else { return .refuse(.unknownSession) }
    guard transport == .polling || now < latePostDeadline ?? .min else { return .refuse(.badRequest) }
    guard !hasPost else {
      close()
      return .overlap
    }
    hasPost = true
    return .read
  }

  public mutating func postFinished() {
    hasPost = false
  }
}

// MARK: - Upgrade

extension EngineServerSession {
  public enum UpgradeAction: Equatable, Sendable {
    case none
    /// Send `3probe` on the WebSocket, and answer waiting GETs with a noop from time to time until the upgrade is over.
    case answerProbe
    /// The WebSocket is the transport now: answer a waiting GET with a noop and flush to it.
    case complete
    /// Close the WebSocket; polling goes on.
    case abandon
  }

  /// A WebSocket for this session was opened. Returns whether it may go on; otherwise close it, the session is
  /// unharmed.
  public mutating func upgradeArrived(at now: Milliseconds) -> Bool {
    guard !isClosed, transport == .polling, case .none = upgrade else { return false }
    upgrade = .waiting(deadline: now + settings.upgradeTimeout)
    return true
  }

  public mutating func receivedOnUpgrade(_ packet: EnginePacket, at now: Milliseconds) -> UpgradeAction {
    guard !isClosed else { return .abandon }
    switch (upgrade, packet.kind) {
    case (.waiting(let deadline), .ping) where packet.data == EnginePacket.probe:
      upgrade = .probed(deadline: deadline)
      return .answerProbe
    case (.waiting, .upgrade), (.probed, .upgrade):
      upgrade = .none
      transport = .webSocket
      if settings.latePostTimeout > 0 || hasPost { latePostDeadline = now + settings.latePostTimeout }
      return .complete
    case (.none, _), (.waiting, _), (.probed, _):
      upgrade = .none
      return .abandon
    }
  }

  /// The WebSocket was lost before the upgrade was complete.
  public mutating func upgradeLost() {
    upgrade = .none
  }
}
