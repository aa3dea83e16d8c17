/// The client's side of one Engine.IO session: handshake, heartbeat and upgrade.
///
/// Call its methods for each event and perform the actions that they return; it performs no I/O and reads no clock.
public struct EngineClientSession: Sendable {
  private enum State {
    case opening
    case open(EngineOpen)
    case closed
  }

  private enum Upgrade {
    case none
    /// `2probe` was sent on the WebSocket.
    case probing
    /// `3probe` arrived: the waiting GET must return before `5` is sent.
    case pausing
  }

  public let revision: EngineRevision
  public private(set) var transport: EngineTransport
  private var state = State.opening
  private var upgrade = Upgrade.none
  private var deadline = Milliseconds.max
  private var pingDue = Milliseconds.max

  public init(revision: EngineRevision = .v4, transport: EngineTransport) {
    self.revision = revision
    self.transport = transport
  }

  /// The content of the server's open packet, while the session is open.
  public var open: EngineOpen? {
    if case .open(let open) = state { open } else { nil }
  }

  public var isClosed: Bool {
    if case .closed = state { true } else { false }
  }

  /// Whether an upgrade to WebSocket is offered and has not begun.
  public var mayUpgrade: Bool {
    guard case .none = upgrade, transport == .polling else { return false }
    return open?.upgrades.contains(EngineTransport.webSocket.rawValue) ?? false
  }

  /// Ends the session; later events are ignored.
  public mutating func close() {
    state = .closed
    upgrade = .none
  }
}

// MARK: - Packets and time

extension EngineClientSession {
  public enum Action: Equatable, Sendable {
    case none
    case opened(EngineOpen)
    /// Send this packet over the current transport.
    case send(EnginePacket)
    /// A message for the layer above.
    case deliver
    case close(DisconnectReason)
  }

  /// A packet arrived over the session's transport.
  public mutating func received(_ packet: EnginePacket, at now: Milliseconds) -> Action {
    switch (state, packet.kind) {
    case (.closed, _):
      return .none
    case (.opening, .open):
      guard let open = try? EngineOpen(data: packet.data) else { return fail(.parseError) }
      state = .open(open)
      rest(open, now)
      return .opened(open)
    case (.opening, _):
      return fail(.parseError)
    case (.open(let open), .ping) where revision == .v4:
      rest(open, now)
      return .send(EnginePacket(.pong, packet.data))
    case (.open(let open), .pong) where revision == .v3:
      rest(open, now)
      return .none
    case (.open, .close):
      return fail(.transportClose)
    case (.open, .message):
      return .deliver
    case (.open, _):
      return .none
    }
  }

  /// When `tick` must be called next.
  public var nextDeadline: Milliseconds { min(deadline, pingDue) }

  public mutating func tick(at now: Milliseconds) -> Action {
    guard case .open(let open) = state else { return .none }
    if now >= deadline { return fail(.pingTimeout) }
    guard now >= pingDue else { return .none }
    // Counts from when the ping was due, unless the client was suspended until after the answer's deadline.
    deadline = (now < pingDue + open.pingTimeout ? pingDue : now) + open.pingTimeout
    pingDue = .max
    return .send(EnginePacket(.ping))
  }

  private mutating func rest(_ open: EngineOpen, _ now: Milliseconds) {
    switch revision {
    case .v4:
      deadline = now + open.pingInterval + open.pingTimeout
    case .v3:
      deadline = .max
      pingDue = now + open.pingInterval
    }
  }

  private mutating func fail(_ reason: DisconnectReason) -> Action {
    close()
    return .close(reason)
  }
}

// MARK: - Upgrade

extension EngineClientSession {
  public enum UpgradeAction: Equatable, Sendable {
    case none
    /// Start no further GET. Call `pollReturned` when the waiting GET has been answered, or at once if none waits.
    case pause
    /// Close the WebSocket; polling continues.
    case abandon
  }

  /// The WebSocket is open: send the returned packet on it.
  public mutating func upgradeOpened() -> EnginePacket? {
    guard mayUpgrade else { return nil }
    upgrade = .probing
    return EnginePacket(.ping, EnginePacket.probe)
  }

  public mutating func receivedOnUpgrade(_ packet: EnginePacket) -> UpgradeAction {
    switch upgrade {
    case .probing where packet.kind == .pong && packet.data == EnginePacket.probe:
      upgrade = .pausing
      return .pause
    case .none, .probing:
      upgrade = .none
      return .abandon
    case .pausing:
      return .none
    }
  }

  /// No GET is in progress any longer. Returns the packet that completes the upgrade: send it on the WebSocket, which is the transport from
  /// then on.
  public mutating func pollReturned() -> EnginePacket? {
    guard case .pausing = upgrade else { return nil }
    upgrade = .none
    transport = .webSocket
    return EnginePacket(.upgrade)
  }

  /// The WebSocket was lost before the upgrade was complete.
  public mutating func upgradeLost() {
    upgrade = .none
  }
}
