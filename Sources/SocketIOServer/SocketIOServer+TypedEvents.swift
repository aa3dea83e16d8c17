import SocketIOProtocol

extension SocketIOServer {
  /// Sends an event with these values as arguments to all sockets that the target selects, once each.
  ///
  /// - Throws: `ReservedNameError`, `EncodingError`; then nothing was sent.
  public func emit<each Value: Encodable>(
    _ event: String, _ values: repeat each Value, to target: BroadcastTarget
  ) throws {
    try ReservedNameError.check(event)
    emit(event, try SocketArguments(encoding: repeat each values), to: target)
  }

  @available(*, unavailable, message: "a target names the namespace: `to: BroadcastTarget(namespace: \"/chat\")`")
  public func emit<each Value: Encodable>(_ event: String, _ values: repeat each Value, to namespace: String) throws {}

  /// Sends an event with these values as arguments to all sockets that the target selects, and waits until all have answered.
  ///
  /// - Throws: As for raw arguments, `EncodingError`, or `DecodingError` if an answer has another type.
  public func emit<each Value: Encodable, Answer: Decodable>(
    _ event: String, _ values: repeat each Value, to target: BroadcastTarget, timeout: Duration,
    answers: Answer.Type
  ) async throws -> [Answer] {
    let arguments = try SocketArguments(encoding: repeat each values)
    return try await emit(event, arguments, to: target, timeout: timeout).map { try $0.decode(answers) }
  }
}
