extension EngineServerSession {
  public enum PollAction: Equatable, Sendable {
    /// Keep the request until there is something to send.
    case wait
    case refuse(EngineRefusal)
    /// A second GET arrived: answer the first with a close packet, and this one with an empty 400. The session is closed.
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

  /// The waiting GET's connection was lost. Returns whether that closes the session.
  public mutating func pollAborted() -> Bool {
    guard hasPoll, !isClosed, transport == .polling else { return false }
    hasPoll = false
    close()
    return true
  }

  public enum PostAction: Equatable, Sendable {
    case read
    case refuse(EngineRefusal)
    /// A second POST arrived while one is being read: answer with an empty 400. The session is closed.
    case overlap
  }

  /// A POST arrived. For some time after an upgrade, it may be one that the upgrade overtook: socket.io-client-swift completes its upgrade
  /// without waiting for the POST that joins its namespaces, and never repeats it.
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
