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
    let id = shard.core.makeAckID()
    let message = OutboundMessage(
      .event(event, arguments: arguments.joined, namespace: namespace, id: id, attachments: arguments.attachments),
      shard.core.configuration.encoding(compress: compress))
    let outcome: Result<SocketArguments, AckError> = await withCheckedContinuation { continuation in
      onLoop { socket in
        guard let session = socket.session else { return continuation.resume(returning: .failure(.disconnected)) }
        let timer = socket.shard.loop.scheduleTask(in: .milliseconds(timeout.milliseconds)) {
          socket.settle(id, .failure(.timedOut))
        }
        socket.acks.wait(id) { outcome in
          timer.cancel()
          continuation.resume(returning: outcome)
        }
        socket.showOutgoing(event, arguments)
        session.send(message)
      }
    }
    return try outcome.get()
  }

  /// Ends the wait for an acknowledgement; an unknown id is ignored.
  func settle(_ id: AckID, _ result: Result<SocketArguments, AckError>) {
    acks.settle(id)?(result)
  }
}
