import NIOCore
public import SocketIOProtocol

extension SocketIOClient {
  /// Identifies a sent event that waits for its acknowledgement.
  struct Awaited: Hashable {
    let namespace: String
    let id: AckID
  }

  struct PendingAck {
    let continuation: CheckedContinuation<SocketArguments, any Error>
    /// Nil if each try has its own timer.
    let timer: Scheduled<Void>?
  }

  /// Acknowledges an event of the server. Does nothing if the event did not ask for it.
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
  /// - Throws: `EncodingError`, or as for raw arguments; then nothing was sent.
  public func acknowledge<First: Encodable, each Rest: Encodable>(
    _ event: SocketEvent, with first: First, _ rest: repeat each Rest,
    in namespace: String = SocketPacket.mainNamespace
  ) throws {
    try acknowledge(event, with: SocketArguments(encoding: first, repeat each rest), in: namespace)
  }

  /// A new number for an event. It is never reused, not even over another connection.
  func makeAckID() -> AckID {
    defer { ackCount += 1 }
    return AckID(ackCount)
  }

  /// Waits for the acknowledgement of an event that was sent, kept or queued.
  /// - Parameter time: Nil if each try has its own time limit.
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

  /// Ends the wait for an acknowledgement. If the event is still waiting here, it is not sent.
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

  /// Fails the waits of lost acknowledgements, except for events that are still to be sent.
  func forgetAcks(_ error: SocketIOError = .notConnected, where isLost: (Awaited) -> Bool) {
    for awaited in acknowledgements.keys where isLost(awaited) {
      let membership = memberships[awaited.namespace]
      guard membership?.buffer.holds(awaited.id) != true, membership?.queue.holds(awaited.id) != true else { continue }
      settle(awaited, .failure(error))
    }
  }
}
