import NIOCore
public import SocketIOProtocol

/// Why no acknowledgement came.
public enum AckError: Error, Equatable, Sendable {
  case timedOut
  case disconnected
}

/// The acknowledgements a client still owes.
struct PendingAcks {
  private struct Waiter {
    let continuation: CheckedContinuation<SocketArguments, any Error>
    let timeout: Scheduled<Void>
  }

  private var nextID: UInt64 = 0
  private var waiters: [AckID: Waiter] = [:]

  mutating func makeID() -> AckID {
    defer { nextID += 1 }
    return AckID(nextID)
  }

  mutating func wait(
    _ id: AckID, _ continuation: CheckedContinuation<SocketArguments, any Error>, timeout: Scheduled<Void>
  ) {
    waiters[id] = Waiter(continuation: continuation, timeout: timeout)
  }

  /// The client answered; an unknown id is ignored.
  mutating func received(_ id: AckID, _ arguments: SocketArguments) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    waiter.timeout.cancel()
    waiter.continuation.resume(returning: arguments)
  }

  mutating func fail(_ id: AckID, _ error: AckError) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    waiter.timeout.cancel()
    waiter.continuation.resume(throwing: error)
  }

  mutating func failAll() {
    for id in Array(waiters.keys) { fail(id, .disconnected) }
  }
}

extension Socket {
  /// Sends an event and waits for the client's acknowledgement.
  ///
  /// - Throws: `AckError` when none came in time or the client left.
  public func emit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), timeout: Duration
  ) async throws -> SocketArguments {
    try await withCheckedThrowingContinuation { continuation in
      onLoop { socket in
        guard let session = socket.session else {
          continuation.resume(throwing: AckError.disconnected)
          return
        }
        let id = socket.acks.makeID()
        let timer = socket.shard.loop.scheduleTask(in: .milliseconds(timeout.milliseconds)) {
          socket.acks.fail(id, .timedOut)
        }
        socket.acks.wait(id, continuation, timeout: timer)
        session.send(
          OutboundMessage(
            .event(
              event, arguments: arguments.joined, namespace: socket.namespace, id: id,
              attachments: arguments.attachments)))
      }
    }
  }
}
