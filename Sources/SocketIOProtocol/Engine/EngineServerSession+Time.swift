extension EngineServerSession {
  public enum TickAction: Equatable, Sendable {
    case none
    case sendPing
    case close(DisconnectReason)
    /// The upgrade took too long: close the new WebSocket; polling continues.
    case abandonUpgrade
    /// POSTs from before the upgrade are not accepted any longer.
    case endLatePosts
  }

  /// When `tick` must be called next.
  public var nextDeadline: Milliseconds {
    let heartbeatDeadline =
      switch heartbeat {
      case .pingDue(let deadline), .answerDue(let deadline): deadline
      }
    let upgradeDeadline =
      switch upgrade {
      // A POST that is being read was accepted in time.
      case .none: hasPost ? .max : latePostDeadline ?? .max
      case .waiting(let deadline), .probed(let deadline): deadline
      }
    return min(upgradeDeadline, heartbeatDeadline)
  }

  /// Performs one due action. Call it again until ``nextDeadline`` is later than `now`. A new deadline is computed from the previous one,
  /// not from the time of the call, unless the server was suspended.
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

  /// Whether a deadline is noticed so late that the server must have been suspended. Its clients' input may then still be unread, so they
  /// get the full time again.
  static func stoodStill(_ deadline: Milliseconds, allowing time: Milliseconds, at now: Milliseconds) -> Bool {
    now - deadline >= min(5000, max(100, time))
  }
}
