import NIOCore
public import SocketIOProtocol

/// Why no acknowledgement came.
public enum AckError: Error, Equatable, Sendable {
  case timedOut
  case disconnected
}

/// The acknowledgements a client still owes.
struct PendingAcks {
  /// Takes what came of one; called exactly once, on the client's event loop.
  typealias Outcome = @Sendable (Result<SocketArguments, AckError>) -> Void

  private var waiters: [AckID: Outcome] = [:]

  mutating func wait(_ id: AckID, _ outcome: @escaping Outcome) {
    waiters[id] = outcome
  }

  /// The outcome of an acknowledgement that is settled now; `nil` for an unknown id.
  mutating func settle(_ id: AckID) -> Outcome? {
    waiters.removeValue(forKey: id)
  }

  /// All outcomes, as no acknowledgement will come any more.
  mutating func settleAll() -> [Outcome] {
    defer { waiters = [:] }
    return Array(waiters.values)
  }
}

extension Socket {
  /// Sends an event and waits for the client's acknowledgement.
  ///
  /// - Parameter compress: Whether it may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
  /// - Throws: `AckError` when none came in time or the client left; `ReservedNameError` before anything is sent.
  public func emit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), timeout: Duration, compress: Bool = true
  ) async throws -> SocketArguments {
    try ReservedNameError.check(event)
    let outcome: Result<SocketArguments, AckError> = await withCheckedContinuation { continuation in
      ask(event, arguments, timeout: timeout, compress: compress) { continuation.resume(returning: $0) }
    }
    return try outcome.get()
  }

  /// Sends an event, and calls a closure with the client's acknowledgement: for synchronous listeners, which cannot wait.
  ///
  /// - Parameters:
  ///   - compress: Whether it may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
  ///   - acknowledged: Called once, on the event loop of the client: it must not block. It gets an `AckError` when no acknowledgement
  ///     came in time or the client left.
  /// - Throws: `ReservedNameError`; nothing was sent then, and the closure is not called.
  public func emit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), timeout: Duration, compress: Bool = true,
    acknowledged: @escaping @Sendable (Result<SocketArguments, AckError>) -> Void
  ) throws {
    try ReservedNameError.check(event)
    ask(event, arguments, timeout: timeout, compress: compress, acknowledged)
  }

  private func ask(
    _ event: String, _ arguments: SocketArguments, timeout: Duration, compress: Bool,
    _ acknowledged: @escaping PendingAcks.Outcome
  ) {
    let id = shard.core.makeAckID()
    let message = OutboundMessage(
      .event(event, arguments: arguments.joined, namespace: namespace, id: id, attachments: arguments.attachments),
      shard.core.configuration.encoding(compress: compress))
    shard.act { shard in
      guard let session = self.reachableSession else {
        // In a turn of its own, as the others.
        return shard.enqueue { _ in acknowledged(.failure(.disconnected)) }
      }
      let timer = shard.loop.scheduleTask(in: .milliseconds(timeout.milliseconds)) {
        self.settle(id, .failure(.timedOut))
      }
      self.acks.wait(id) { outcome in
        timer.cancel()
        acknowledged(outcome)
      }
      self.showOutgoing(event, arguments)
      session.send(message)
    }
  }

  /// Ends the wait for an acknowledgement; an unknown id is ignored.
  func settle(_ id: AckID, _ result: Result<SocketArguments, AckError>) {
    acks.settle(id)?(result)
  }
}
