/// The server's side of one Engine.IO session: transports, heartbeat and upgrade.
///
/// Call its methods for each event and perform the actions that they return; it performs no I/O and reads no clock.
public struct EngineServerSession: Sendable {
  /// The settings of a session. All times are in milliseconds.
  public struct Settings: Equatable, Sendable {
    public var pingInterval: Milliseconds
    public var pingTimeout: Milliseconds
    public var upgradeTimeout: Milliseconds
    /// How long after its upgrade a session still accepts POSTs; later ones are refused. Zero: none is accepted.
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

  enum Heartbeat {
    case pingDue(Milliseconds)
    case answerDue(Milliseconds)
  }

  enum Upgrade {
    case none
    case waiting(deadline: Milliseconds)
    case probed(deadline: Milliseconds)
  }

  let settings: Settings
  public let revision: EngineRevision
  public internal(set) var transport: EngineTransport
  public internal(set) var isClosed = false
  /// Whether a GET waits for packets.
  public internal(set) var hasPoll = false
  var hasPost = false
  var heartbeat: Heartbeat
  var upgrade = Upgrade.none
  /// The end of the time in which POSTs that the upgrade overtook are accepted; `nil` before an upgrade and after that time.
  var latePostDeadline: Milliseconds?

  /// Whether POSTs from before the upgrade are still accepted.
  public var takesLatePosts: Bool { latePostDeadline != nil }

  public init(_ settings: Settings, revision: EngineRevision, transport: EngineTransport, at now: Milliseconds) {
    self.settings = settings
    self.revision = revision
    self.transport = transport
    heartbeat = Self.rested(settings, revision, now)
  }

  static func rested(_ settings: Settings, _ revision: EngineRevision, _ now: Milliseconds) -> Heartbeat {
    switch revision {
    case .v4: .pingDue(now + settings.pingInterval)
    case .v3: .answerDue(now + settings.pingInterval + settings.pingTimeout)
    }
  }

  /// Ends the session; later events are ignored.
  public mutating func close() {
    isClosed = true
    upgrade = .none
    latePostDeadline = nil
  }
}

// MARK: - Packets

extension EngineServerSession {
  public enum ReceiveAction: Equatable, Sendable {
    case none
    /// A message for the layer above.
    case deliver
    /// Answer with a pong with this data.
    case pong([UInt8])
    case close(DisconnectReason)
  }

  /// A packet arrived over the session's transport.
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
