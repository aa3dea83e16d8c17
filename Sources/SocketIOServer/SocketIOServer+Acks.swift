public import SocketIOProtocol

extension SocketIOServer {
  /// Sends an event to all sockets that the target selects, and waits until all have acknowledged it.
  ///
  /// - Returns: One answer for each socket, in the order of arrival; empty if the target selects no socket.
  /// - Throws: `BroadcastAckError`, with the answers so far, when the timeout has passed or the last client without an answer has left;
  ///   `ReservedNameError` before anything is sent.
  public func emit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), to target: BroadcastTarget, timeout: Duration
  ) async throws -> [SocketArguments] {
    try ReservedNameError.check(event)
    let outcome: AckGathering.Outcome = await withCheckedContinuation { continuation in
      if let cluster = cluster(for: target) {
        cluster.ask(event, arguments, to: target, timeout, core, continuation)
      } else {
        let gathering = AckGathering(continuation)
        core.ask(event, arguments, target, timeout: timeout.milliseconds, gathering)
        gathering.sent()
      }
    }
    return try outcome.get()
  }
}
