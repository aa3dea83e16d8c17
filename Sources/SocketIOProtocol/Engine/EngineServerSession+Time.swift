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

  /// Whether a deadline is noticed so late that the server must have stood still: what its clients sent meanwhile may not
  /// have been read yet. They get their whole time from now.
  static func stoodStill(_ deadline: Milliseconds, allowing time: Milliseconds, at now: Milliseconds) -> Bool {
    now - deadline >= min(5000, max(100, time))
  }
}
