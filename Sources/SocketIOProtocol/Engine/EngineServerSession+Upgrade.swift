extension EngineServerSession {
  public enum UpgradeAction: Equatable, Sendable {
    case none
    /// Send `3probe` on the WebSocket, and answer waiting GETs with a noop from time to time until the upgrade is over.
    case answerProbe
    /// The WebSocket is the transport now: answer a waiting GET with a noop, and flush to the WebSocket.
    case complete
    /// Close the WebSocket; polling continues.
    case abandon
  }

  /// A WebSocket for this session was opened. Returns whether the upgrade may continue. Otherwise close the WebSocket; the session
  /// continues.
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

  /// Performs a due action of an upgrade; nil if there is none.
  mutating func tickUpgrade(at now: Milliseconds) -> TickAction? {
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
