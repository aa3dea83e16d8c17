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
  public func emit<each Value: Encodable>(
    _ event: String, _ values: repeat each Value, isVolatile: Bool = false, compress: Bool = true
  ) throws {
    try ReservedNameError.check(event)
    emit(event, try SocketArguments(encoding: repeat each values), isVolatile: isVolatile, compress: compress)
  }

  /// Sends an event whose arguments are these values, and waits for the client's acknowledgement, whose first argument is the
  /// answer.
  ///
  /// - Throws: As for raw arguments, `EncodingError`, or `DecodingError` for an answer of another kind.
  public func emit<each Value: Encodable, Answer: Decodable>(
    _ event: String, _ values: repeat each Value, timeout: Duration, compress: Bool = true,
    answer: Answer.Type
  ) async throws -> Answer {
    let arguments = try SocketArguments(encoding: repeat each values)
    return try await emit(event, arguments, timeout: timeout, compress: compress).decode(answer)
  }

  /// Sends an event whose arguments are these values, and calls a closure with the first argument of the client's acknowledgement,
  /// as for raw arguments.
  ///
  /// - Parameter acknowledged: Gets an `AckError`, or `DecodingError` for an answer of another kind.
  /// - Throws: As for raw arguments, or `EncodingError`; nothing was sent then, and the closure is not called.
  public func emit<each Value: Encodable, Answer: Decodable & Sendable>(
    _ event: String, _ values: repeat each Value, timeout: Duration, compress: Bool = true, answer: Answer.Type,
    acknowledged: @escaping @Sendable (Result<Answer, any Error>) -> Void
  ) throws {
    let arguments = try SocketArguments(encoding: repeat each values)
    try emit(event, arguments, timeout: timeout, compress: compress) { outcome in
      acknowledged(Result { try outcome.get().decode(answer) })
    }
  }

  /// Sends an event whose arguments are these values to everybody else in the namespace, or in these rooms of it, as for raw
  /// arguments.
  ///
  /// - Throws: `ReservedNameError`, `EncodingError`; nothing was sent then.
  public func broadcast<each Value: Encodable>(
    _ event: String, _ values: repeat each Value, to rooms: Set<String>? = nil,
    except: Set<String> = [], isVolatile: Bool = false, isLocal: Bool = false, compress: Bool = true
  ) throws {
    try ReservedNameError.check(event)
    let arguments = try SocketArguments(encoding: repeat each values)
    broadcast(
      event, arguments, to: rooms, except: except, isVolatile: isVolatile, isLocal: isLocal, compress: compress)
  }
}

extension SocketIOServer {
  /// Sends an event whose arguments are these values to everybody whom the target means, once each.
  ///
  /// - Throws: `ReservedNameError`, `EncodingError`; nothing was sent then.
  public func emit<each Value: Encodable>(
    _ event: String, _ values: repeat each Value, to target: BroadcastTarget
  ) throws {
    try ReservedNameError.check(event)
    emit(event, try SocketArguments(encoding: repeat each values), to: target)
  }

  @available(*, unavailable, message: "a target names the namespace: `to: BroadcastTarget(namespace: \"/chat\")`")
  public func emit<each Value: Encodable>(_ event: String, _ values: repeat each Value, to namespace: String) throws {}

  /// Sends an event whose arguments are these values to everybody whom the target means, and waits until all have answered.
  ///
  /// - Throws: As for raw arguments, `EncodingError`, or `DecodingError` when an answer is of another kind.
  public func emit<each Value: Encodable, Answer: Decodable>(
    _ event: String, _ values: repeat each Value, to target: BroadcastTarget, timeout: Duration,
    answers: Answer.Type
  ) async throws -> [Answer] {
    let arguments = try SocketArguments(encoding: repeat each values)
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
  public func callAsFunction<each Value: Encodable>(
    _ values: repeat each Value
  ) throws {
    self(try SocketArguments(encoding: repeat each values))
  }
}
