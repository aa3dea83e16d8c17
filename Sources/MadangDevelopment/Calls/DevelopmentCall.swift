import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MadangCore
import MadangServer
import NIOCore
import SocketIOProtocol
import SocketIOServer

/// A call under `/_dev`, for tests of clients.
struct DevelopmentCall: Sendable {
  let method: HTTPRequest.Method
  /// The path after `/_dev`.
  let path: [String]
  let request: Request
  /// The connection it came by.
  let channel: any NIOCore.Channel
  /// The port of the world that the call is about; nil if the call came to the world or server itself.
  var worldPort: Int?

  /// The largest body of most calls, in bytes.
  static let maxBody = 1 << 20
  /// The longest seed or script, in bytes.
  static let maxDocument = 64 << 20
  /// The largest body of calls that may hold a document.
  static let maxLongBody = maxDocument + 65_536

  /// This call, as one about the world with this port: without the first parts of its path.
  func below(_ count: Int, worldPort: Int) -> DevelopmentCall {
    DevelopmentCall(
      method: method, path: Array(path.dropFirst(count)), request: request, channel: channel, worldPort: worldPort)
  }

  /// Runs `body`, and cancels it once the client has left, which is checked five times a second and at the end. Then throws
  /// ``WorldError``.
  /// - Parameter undo: Reverts the result if the client has left before it could receive it.
  func whileClientWaits<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value, undo: (Value) async -> Void = { _ in }
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        while true {
          guard (try? await Task.sleep(for: .milliseconds(200))) != nil, await !channel.hasClientLeft else {
            return nil
          }
        }
      }
      defer { group.cancelAll() }
      var value = try await group.next() ?? nil
      if value == nil {
        group.cancelAll()
        // It may have finished nevertheless.
        do { value = try await group.next() ?? nil } catch is CancellationError {}
      }
      let left = WorldError("the client has left")
      guard let value else { throw left }
      guard await !channel.hasClientLeft else {
        await undo(value)
        throw left
      }
      return value
    }
  }

  /// Says that there is no such call.
  fileprivate var unknown: BadCall {
    BadCall(
      "there is no development call \(method.rawValue) /_dev/\(path.joined(separator: "/")) here; GET /_dev/openapi.json lists them. Worlds are "
        + "created at the server; reset and snapshots are calls of a world")
  }

  /// A field of the query.
  func query(_ name: String) -> String? { request.uri.queryParameters.get(name) }

  /// Refuses unknown fields of the query, which may be mistyped, and fields that are given twice. Throws `BadCall`.
  func refuseQuery(besides known: [String] = []) throws(BadCall) {
    let parameters = request.uri.queryParameters
    try BadCall.refuse(parameters.map { String($0.key) }, besides: known)
    for name in known {
      let values = parameters.getAll(name)
      guard values.count > 1 else { continue }
      throw BadCall(
        "\(name): is given twice, as '\(BadCall.shortened(values[0]))' and as '\(BadCall.shortened(values[1]))'; give it once"
      )
    }
  }

  /// Answers a call whose query has these fields at most. Throws `BadCall` for others, before `body` is called.
  func answer(_ fields: String..., body: () async throws -> some Encodable) async throws -> Response {
    try refuseQuery(besides: fields)
    return try .development(try await body())
  }

  /// The same for what has nothing to tell.
  func done(_ body: () async throws -> Void) async throws -> Response {
    try await answer {
      try await body()
      return Done()
    }
  }

  /// The body as it was sent. Throws `BadCall`.
  func bytes(atMost limit: Int) async throws -> [UInt8] {
    guard let buffer = try? await request.body.collect(upTo: limit) else {
      throw BadCall("the body may have \(limit) bytes at most")
    }
    return Array(buffer.readableBytesView)
  }

  /// The body as text. Throws `BadCall`.
  func text(atMost limit: Int) async throws -> String {
    guard let text = String(validating: try await bytes(atMost: limit), as: UTF8.self) else {
      throw BadCall("the body is not UTF-8")
    }
    return text
  }

  /// The fields of the body; none if it is empty. Throws `BadCall`, also for an unknown field.
  func body<Fields: CallFields>(_ type: Fields.Type = Fields.self, atMost limit: Int = maxBody) async throws -> Fields {
    try CallBody.fields(of: try await bytes(atMost: limit))
  }
}

extension HTTPRequest {
  /// Whether the path is under `/_dev`. Every request calls this, so only likely paths are parsed.
  var isDevelopmentCall: Bool {
    let first = pathWithoutQuery.utf8.drop { $0 == UInt8(ascii: "/") }.first
    guard first == UInt8(ascii: "_") || first == UInt8(ascii: "%") else { return false }
    return RequestTarget(path ?? "").segments.first == "_dev"
  }
}

extension MadangServer {
  /// Answers a call under `/_dev`; nil if this server has no such calls.
  /// - Parameter body: Returns nil for a path that does not exist.
  func answerDevelopment(
    _ request: Request, over channel: any NIOCore.Channel, isForOperators: Bool,
    _ body: (DevelopmentCall) async throws -> Response?
  ) async throws -> Response? {
    switch developmentAccess(request, over: channel, isForOperators: isForOperators) {
    case .unknown: return nil
    case .refused(let response): return response
    case .granted(let path):
      let method = request.method == .head ? .get : request.method
      let call = DevelopmentCall(method: method, path: path, request: request, channel: channel)
      do {
        return try await body(call) ?? .development(call.unknown, status: .notFound)
      } catch let error as BadCall {
        return try .development(error, status: .badRequest)
      } catch let error where !(error is CancellationError) {
        madang.logger.error("a development call failed", metadata: ["call": "\(method) \(path)", "error": "\(error)"])
        return try .development(BadCall("unexpected: \(error)"), status: .internalServerError)
      }
    }
  }
}

/// JSON as development calls send it, and as the command line shows it.
package enum DevelopmentJSON {
  package static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  /// Each value in a line of its own.
  package static func lines(_ values: [some Encodable]) throws -> Data {
    try values.reduce(into: Data()) { $0 += try encode($1) + [UInt8(ascii: "\n")] }
  }
}

extension Response {
  static func development(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    .json(Array(try DevelopmentJSON.encode(value)), status: status)
  }
}

/// The answer of calls without a result.
struct Done: Encodable {}
