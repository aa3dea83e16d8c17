import Foundation
import SocketIOProtocol

extension SocketArguments {
  /// Arguments made of values, each encoded as JSON with the standard library's defaults.
  ///
  /// - Throws: `EncodingError`.
  init<each Value: Encodable>(encoding values: repeat each Value) throws {
    var texts: [[UInt8]] = []
    for value in repeat each values { texts.append(try JSON.encode(value)) }
    self.init(texts)
  }

  /// The argument at `index` as a value.
  ///
  /// - Throws: `DecodingError` if there is none, or it is no such value.
  func decode<Value: Decodable>(_ type: Value.Type, at index: Int = 0) throws -> Value {
    guard values.indices.contains(index) else {
      throw DecodingError.valueNotFound(type, .init(codingPath: [], debugDescription: "there is no argument \(index)"))
    }
    return try ForeignJSON.decode(type, from: values[index])
  }
}

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
  /// - Throws: `EncodingError`; nothing was sent then.
  public func emit<First: Encodable, each Rest: Encodable>(
    _ event: String, _ first: First, _ rest: repeat each Rest, isVolatile: Bool = false, compress: Bool = true
  ) throws {
    emit(event, try SocketArguments(encoding: first, repeat each rest), isVolatile: isVolatile, compress: compress)
  }

  /// Sends an event whose arguments are these values, and waits for the client's acknowledgement, whose first argument is the
  /// answer.
  ///
  /// - Throws: `AckError` when none came in time or the client left, `EncodingError`, or `DecodingError` for an answer
  ///   of another kind.
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
  /// - Throws: `EncodingError`; nothing was sent then.
  public func broadcast<First: Encodable, each Rest: Encodable>(
    _ event: String, _ first: First, _ rest: repeat each Rest, to rooms: Set<String>? = nil,
    except: Set<String> = [], isVolatile: Bool = false, isLocal: Bool = false, compress: Bool = true
  ) throws {
    let arguments = try SocketArguments(encoding: first, repeat each rest)
    broadcast(
      event, arguments, to: rooms, except: except, isVolatile: isVolatile, isLocal: isLocal, compress: compress)
  }
}

extension SocketIOServer {
  /// Sends an event whose arguments are these values to everybody whom the target means, once each.
  ///
  /// - Throws: `EncodingError`; nothing was sent then.
  public func emit<First: Encodable, each Rest: Encodable>(
    _ event: String, _ first: First, _ rest: repeat each Rest, to target: BroadcastTarget
  ) throws {
    emit(event, try SocketArguments(encoding: first, repeat each rest), to: target)
  }

  /// Sends an event whose arguments are these values to everybody whom the target means, and waits until all have answered.
  ///
  /// - Throws: `BroadcastAckError` as for raw arguments, `EncodingError`, or `DecodingError` when an answer is of another
  ///   kind.
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
