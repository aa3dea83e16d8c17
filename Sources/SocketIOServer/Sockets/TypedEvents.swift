import SocketIOProtocol

extension Socket.Event {
  /// Decodes the argument at `index`.
  ///
  /// - Throws: `DecodingError` if there is none, or it has another type.
  public func decode<Value: Decodable>(_ type: Value.Type, at index: Int = 0) throws -> Value {
    try arguments.decode(type, at: index)
  }
}

extension Socket {
  /// Sends an event with these values as arguments, as JSON.
  ///
  /// - Parameters:
  ///   - isVolatile: Whether the client may miss it if it cannot receive it at once.
  ///   - compress: Whether the event may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
  /// - Throws: `ReservedNameError`, `EncodingError`; then nothing was sent.
  public func emit<each Value: Encodable>(
    _ event: String, _ values: repeat each Value, isVolatile: Bool = false, compress: Bool = true
  ) throws {
    try ReservedNameError.check(event)
    emit(event, try SocketArguments(encoding: repeat each values), isVolatile: isVolatile, compress: compress)
  }

  /// Sends an event with these values as arguments, and waits for the client's acknowledgement, whose first argument is the answer.
  ///
  /// - Throws: As for raw arguments, `EncodingError`, or `DecodingError` if the answer has another type.
  public func emit<each Value: Encodable, Answer: Decodable>(
    _ event: String, _ values: repeat each Value, timeout: Duration, compress: Bool = true,
    answer: Answer.Type
  ) async throws -> Answer {
    let arguments = try SocketArguments(encoding: repeat each values)
    return try await emit(event, arguments, timeout: timeout, compress: compress).decode(answer)
  }

  /// Sends an event with these values as arguments, and calls a closure with the first argument of the client's acknowledgement, as for raw
  /// arguments.
  ///
  /// - Parameter acknowledged: Receives an `AckError`, or a `DecodingError` if the answer has another type.
  /// - Throws: As for raw arguments, or `EncodingError`; then nothing was sent, and the closure is not called.
  public func emit<each Value: Encodable, Answer: Decodable & Sendable>(
    _ event: String, _ values: repeat each Value, timeout: Duration, compress: Bool = true, answer: Answer.Type,
    acknowledged: @escaping @Sendable (Result<Answer, any Error>) -> Void
  ) throws {
    let arguments = try SocketArguments(encoding: repeat each values)
    try emit(event, arguments, timeout: timeout, compress: compress) { outcome in
      acknowledged(Result { try outcome.get().decode(answer) })
    }
  }

  /// Sends an event with these values as arguments to all other sockets in the namespace, or in these rooms of it, as for raw arguments.
  ///
  /// - Throws: `ReservedNameError`, `EncodingError`; then nothing was sent.
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

extension ConnectRequest {
  /// Decodes the client's auth payload.
  ///
  /// - Throws: `DecodingError` if there is no payload, or it has another type.
  public func auth<Value: Decodable>(as type: Value.Type) throws -> Value {
    try ForeignJSON.decode(type, from: auth)
  }
}

extension Socket {
  /// Decodes the auth payload of the client's CONNECT.
  ///
  /// - Throws: `DecodingError` if there was none, or it has another type.
  public func auth<Value: Decodable>(as type: Value.Type) throws -> Value {
    try ForeignJSON.decode(type, from: auth)
  }
}

extension Acknowledgement {
  /// Answers with these values.
  ///
  /// - Throws: `EncodingError`; then nothing was sent.
  public func callAsFunction<each Value: Encodable>(
    _ values: repeat each Value
  ) throws {
    self(try SocketArguments(encoding: repeat each values))
  }
}
