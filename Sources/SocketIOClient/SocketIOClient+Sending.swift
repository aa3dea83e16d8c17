import Foundation
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
    let timer: Scheduled<Void>
  }

  /// Sends an event.
  /// - Parameter arguments: JSON texts, and the attachments their placeholders refer to.
  /// - Throws: ``SocketIOError/notConnected`` or ``SocketIOError/congested``; nothing was sent then.
  public func emit(_ name: String, _ arguments: SocketArguments = .init(), in namespace: String) throws(SocketIOError) {
    try send(
      .event(name, arguments: arguments.joined, namespace: namespace, attachments: arguments.attachments))
  }

  /// Sends an event and waits for the server's acknowledgement.
  /// - Throws: ``SocketIOError``; after ``SocketIOError/timedOut`` or a lost connection (``SocketIOError/notConnected``)
  ///   the event may have arrived.
  public func emit(
    _ name: String, _ arguments: SocketArguments = .init(), in namespace: String, acknowledgedWithin time: Duration
  ) async throws -> SocketArguments {
    guard acknowledgements.count < configuration.maxWaitingAcks else { throw SocketIOError.congested }
    guard let id = connection?.socket.makeAckID() else { throw SocketIOError.notConnected }
    try send(
      .event(name, arguments: arguments.joined, namespace: namespace, id: id, attachments: arguments.attachments))
    let awaited = Awaited(namespace: namespace, id: id)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let timer = loop.scheduleTask(in: TimeAmount(time)) { [weak self] () -> Void in
          self?.assumeIsolated { $0.settle(awaited, .failure(SocketIOError.timedOut)) }
        }
        acknowledgements[awaited] = PendingAck(continuation: continuation, timer: timer)
        if Task.isCancelled { settle(awaited, .failure(CancellationError())) }
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.settle(awaited, .failure(CancellationError())) } }
    }
  }

  /// Acknowledges an event of the server that asked for it; others are left alone.
  /// - Throws: ``SocketIOError/notConnected`` or ``SocketIOError/congested``.
  public func acknowledge(
    _ event: SocketEvent, with arguments: SocketArguments = .init(), in namespace: String
  ) throws(SocketIOError) {
    guard let id = event.id else { return }
    try send(.ack(id, arguments: arguments.joined, namespace: namespace, attachments: arguments.attachments))
  }

  /// Sends an event with a value as its argument, as JSON.
  /// - Throws: `EncodingError`, or as for raw arguments; nothing was sent then.
  public func emit(
    _ name: String, _ value: some Encodable, in namespace: String = SocketPacket.mainNamespace
  ) throws {
    try emit(name, SocketArguments(encoding: value), in: namespace)
  }

  /// Sends an event with a value and waits for the server's acknowledgement, whose first argument is the answer.
  /// - Throws: `EncodingError`, `DecodingError` for an answer of another kind, or as for raw arguments.
  public func emit<Answer: Decodable>(
    _ name: String, _ value: some Encodable, in namespace: String = SocketPacket.mainNamespace,
    acknowledgedWithin time: Duration, as answer: Answer.Type
  ) async throws -> Answer {
    try await emit(name, SocketArguments(encoding: value), in: namespace, acknowledgedWithin: time).decode(answer)
  }

  private func send(_ packet: SocketPacket) throws(SocketIOError) {
    guard connection?.socket.isJoined(packet.namespace) == true else { throw .notConnected }
    guard isWritable else { throw .congested }
    transmit(packet.messages)
  }

  func settle(_ awaited: Awaited, _ outcome: Result<SocketArguments, any Error>) {
    guard let pending = acknowledgements.removeValue(forKey: awaited) else { return }
    pending.timer.cancel()
    pending.continuation.resume(with: outcome)
  }

  /// No acknowledgement of these will come any more.
  func forgetAcks(where isLost: (Awaited) -> Bool) {
    for awaited in acknowledgements.keys where isLost(awaited) {
      settle(awaited, .failure(SocketIOError.notConnected))
    }
  }
}
