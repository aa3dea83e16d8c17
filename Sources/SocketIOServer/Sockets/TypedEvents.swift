import SocketIOProtocol

extension Socket.Event {
  /// The argument at `index` as a value.
  ///
  /// - Throws: `DecodingError` if there is none, or it is no such value.
  public func decode<Value: Decodable>(_ type: Value.Type, at index: Int = 0) throws -> Value {
    try arguments.decode(type, at: index)
  }
}

extension Socket {
  /// Sends an event whose arguments are these values, as JSON.
  ///
  /// - Parameters:
  ///   - isVolatile: Whether the client may miss it if it cannot take it at once.
  ///   - compress: Whether it may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
  /// - Throws: `ReservedNameError`, `EncodingError`; nothing was sent then.
  public func emit<First: Encodable, each Rest: Encodable>(
    _ event: String, _ first: First, _ rest: repeat each Rest, isVolatile: Bool = false, compress: Bool = true
  ) throws {
    try ReservedNameError.check(event)
    emit(event, try SocketArguments(encoding: first, repeat each rest), isVolatile: isVolatile, compress: compress)
  }

  /// Sends an event whose arguments are these values, and waits for the client's acknowledgement, whose first argument is the
  /// answer.
  ///
  /// - Throws: As for raw arguments, `EncodingError`, or `DecodingError` for an answer of another kind.
  public func emit<First: Encodable, each Rest: Encodable, Answer: Decodable>(
    _ event: String, _ first: First, _ rest: repeat each Rest, timeout: Duration, compress: Bool = true,
    answer: Answer.Type
  ) async throws -> Answer {
    let arguments = try SocketArguments(encoding: first, repeat each rest)
    return try await emit(event, arguments, timeout: timeout, compress: compress).decode(answer)
  }

  /// Sends an event whose arguments are these values to everybody else in the namespace, or in these rooms of it, as for raw
  /// arguments.
  ///
  /// - Throws: `ReservedNameError`, `EncodingError`; nothing was sent then.
  public func broadcast<First: Encodable, each Rest: Encodable>(
    _ event: String, _ first: First, _ rest: repeat each Rest, to rooms: Set<String>? = nil,
    except: Set<String> = [], isVolatile: Bool = false, isLocal: Bool = false, compress: Bool = true
  ) throws {
    try ReservedNameError.check(event)
    let arguments = try SocketArguments(encoding: first, repeat each rest)
    broadcast(
      event, arguments, to: rooms, except: except, isVolatile: isVolatile, isLocal: isLocal, compress: compress)
  }
}

extension SocketIOServer {
  /// Sends an event whose arguments are these values to everybody whom the target means, once each.
  ///
  /// - Throws: `ReservedNameError`, `EncodingError`; nothing was sent then.
  public func emit<First: Encodable, each Rest: Encodable>(
    _ event: String, _ first: First, _ rest: repeat each Rest, to target: BroadcastTarget
  ) throws {
    try ReservedNameError.check(event)
    emit(event, try SocketArguments(encoding: first, repeat each rest), to: target)
  }

  /// Sends an event whose arguments are these values to everybody whom the target means, and waits until all have answered.
  ///
  /// - Throws: As for raw arguments, `EncodingError`, or `DecodingError` when an answer is of another kind.
  public func emit<First: Encodable, each Rest: Encodable, Answer: Decodable>(
    _ event: String, _ first: First, _ rest: repeat each Rest, to target: BroadcastTarget, timeout: Duration,
    answers: Answer.Type
  ) async throws -> [Answer] {
    let arguments = try SocketArguments(encoding: first, repeat each rest)
    return try await emit(event, arguments, to: target, timeout: timeout).map { try $0.decode(answers) }
  }
}

extension ConnectRequest {
  /// The client's auth payload as a value.
  ///
  /// - Throws: `DecodingError` if there is no payload, or it is no such value.
  public func auth<Value: Decodable>(as type: Value.Type) throws -> Value {
    try ForeignJSON.decode(type, from: auth)
  }
}

extension Socket {
  /// The auth payload with which the client joined as a value.
  ///
  /// - Throws: `DecodingError` if there was none, or it is no such value.
  public func auth<Value: Decodable>(as type: Value.Type) throws -> Value {
    try ForeignJSON.decode(type, from: auth)
  }
}

extension Acknowledgement {
  /// Answers with these values.
  ///
  /// - Throws: `EncodingError`; nothing was answered then.
  public func callAsFunction<First: Encodable, each Rest: Encodable>(
    _ first: First, _ rest: repeat each Rest
  ) throws {
    self(try SocketArguments(encoding: first, repeat each rest))
  }
}
