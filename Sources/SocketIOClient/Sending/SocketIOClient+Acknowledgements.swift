import NIOCore
public import SocketIOProtocol

extension SocketIOClient {
  /// An event sent that waits for its acknowledgement.
  struct Awaited: Hashable {
    let namespace: String
    let id: AckID
  }

  struct PendingAck {
    let continuation: CheckedContinuation<SocketArguments, any Error>
    /// Missing where each try has a time of its own.
    let timer: Scheduled<Void>?
  }

  /// Acknowledges an event of the server that asked for it; others are left alone.
  /// - Throws: ``SocketIOError/notConnected`` or ``SocketIOError/congested``.
  public func acknowledge(
    _ event: SocketEvent, with arguments: SocketArguments = .init(), in namespace: String = SocketPacket.mainNamespace
  ) throws(SocketIOError) {
    guard let id = event.id else { return }
    guard isConnected(to: namespace) else { throw .notConnected }
    guard isWritable else { throw .congested }
    let packet = SocketPacket.ack(
      id, arguments: arguments.joined, namespace: namespace, attachments: arguments.attachments)
    transmit(packet)
  }

  /// Acknowledges an event of the server with values, as JSON.
  /// - Throws: `EncodingError`, or as for raw arguments; nothing was sent then.
  public func acknowledge<First: Encodable, each Rest: Encodable>(
    _ event: SocketEvent, with first: First, _ rest: repeat each Rest,
    in namespace: String = SocketPacket.mainNamespace
  ) throws {
    try acknowledge(event, with: SocketArguments(encoding: first, repeat each rest), in: namespace)
  }

  /// A fresh number for an event. It is never used again, not even over another connection.
  func makeAckID() -> AckID {
    defer { ackCount += 1 }
    return AckID(ackCount)
  }

  /// Waits for the acknowledgement of an event that was sent, is kept or queued.
  /// - Parameter time: nil where each try has a time of its own.
  func acknowledgement(of awaited: Awaited, within time: Duration?) async throws -> SocketArguments {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let timer = time.map { time in
          loop.scheduleTask(in: TimeAmount(time)) { [weak self] () -> Void in
            self?.assumeIsolated { $0.giveUp(awaited, SocketIOError.timedOut) }
          }
        }
        acknowledgements[awaited] = PendingAck(continuation: continuation, timer: timer)
        if Task.isCancelled { giveUp(awaited, CancellationError()) }
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.giveUp(awaited, CancellationError()) } }
    }
  }

  /// Nobody waits for this acknowledgement any more. If the event is still here it stays unsent.
  private func giveUp(_ awaited: Awaited, _ error: any Error) {
    memberships[awaited.namespace]?.buffer.remove(awaited.id)
    memberships[awaited.namespace]?.queue.remove(awaited.id)
    settle(awaited, .failure(error))
    drainQueue(awaited.namespace)
  }

  func settle(_ awaited: Awaited, _ outcome: Result<SocketArguments, any Error>) {
    guard let pending = acknowledgements.removeValue(forKey: awaited) else { return }
    pending.timer?.cancel()
    pending.continuation.resume(with: outcome)
  }

  /// No acknowledgement of these will come any more, unless their events are yet to be sent.
  func forgetAcks(_ error: SocketIOError = .notConnected, where isLost: (Awaited) -> Bool) {
    for awaited in acknowledgements.keys where isLost(awaited) {
      let membership = memberships[awaited.namespace]
      guard membership?.buffer.holds(awaited.id) != true, membership?.queue.holds(awaited.id) != true else { continue }
      settle(awaited, .failure(error))
    }
  }
}
