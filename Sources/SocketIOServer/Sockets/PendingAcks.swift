import NIOCore
public import SocketIOProtocol

/// Why no acknowledgement arrived.
public enum AckError: Error, Equatable, Sendable {
  case timedOut
  case disconnected
}

/// The acknowledgements that a client has not sent yet.
struct PendingAcks {
  /// Receives the result of one acknowledgement. Called exactly once, on the client's event loop.
  typealias Outcome = @Sendable (Result<SocketArguments, AckError>) -> Void

  private var waiters: [AckID: Outcome] = [:]

  mutating func wait(_ id: AckID, _ outcome: @escaping Outcome) {
    waiters[id] = outcome
  }

  /// Removes and returns the closure for an acknowledgement; `nil` for an unknown id.
  mutating func settle(_ id: AckID) -> Outcome? {
    waiters.removeValue(forKey: id)
  }

  /// Removes and returns all closures, because no more acknowledgements can arrive.
  mutating func settleAll() -> [Outcome] {
    defer { waiters = [:] }
    return Array(waiters.values)
  }
}

extension Socket {
  /// Sends an event and waits for the client's acknowledgement.
  ///
  /// - Parameter compress: Whether the event may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
  /// - Throws: `AckError` if no acknowledgement arrived in time or the client left; `ReservedNameError` before anything is sent.
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
  ///   - compress: Whether the event may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
  ///   - acknowledged: Called once, on the event loop of the client: it must not block. It receives an `AckError` if no acknowledgement
  ///     arrived in time or the client left.
  /// - Throws: `ReservedNameError`; then nothing was sent, and the closure is not called.
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
        // Not called at once, as in the other cases.
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
