import Foundation
import HTTPTypes
import Hummingbird
import MadangServer
import NIOCore
import SocketIOProtocol

/// The calls under `/_dev/faults`, and `/_dev/restart`.
struct FaultCalls: Sendable {
  /// Of a call's body, in bytes.
  private static let maxBody = 4 << 20

  let faults: Faults

  /// The answer; nil if the path is none of these.
  func respond(_ method: HTTPRequest.Method, _ path: ArraySlice<String>, _ request: Request) async throws -> Response? {
    guard let first = path.first, path.count <= 2 else { return nil }
    switch (method, first, path.dropFirst().first) {
    case (.get, "faults", nil): return try json(List(faults: faults.reports))
    case (.post, "faults", nil): return try await add(request)
    case (.delete, "faults", nil):
      faults.removeAll()
      return try json(Done())
    case (.delete, "faults", let id?):
      guard let number = Int(id), faults.remove(number) else {
        throw BadCall("there is no fault \(id); GET /_dev/faults lists them")
      }
      return try json(Done())
    case (.post, "restart", nil): return try await restart(request)
    default: return nil
    }
  }

  private struct List: Encodable {
    let faults: [Faults.Report]
  }

  private struct ID: Encodable {
    let id: Int
  }

  private struct IDs: Encodable {
    let ids: [Int]
  }

  private struct Done: Encodable {}

  private func add(_ request: Request) async throws -> Response {
    let body = try await body(of: request)
    if body.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "[") {
      return try json(IDs(ids: try await faults.add(decode([FaultRule].self, body))))
    }
    return try json(ID(id: try await faults.add(decode(FaultRule.self, body))))
  }

  private struct Restart: Decodable {
    let milliseconds: Int
  }

  private func restart(_ request: Request) async throws -> Response {
    let call = try decode(Restart.self, try await body(of: request))
    guard (0...FaultRule.Limits.milliseconds).contains(call.milliseconds) else {
      throw BadCall("milliseconds: 0 to \(FaultRule.Limits.milliseconds)")
    }
    var response = try json(Done())
    let body = response.body
    // Who asked for it gets the answer, over a connection that then ends with all others.
    response.body = ResponseBody(contentLength: body.contentLength) { [outage = faults.outage] writer in
      try await body.write(writer)
      await outage.restart(downFor: .milliseconds(call.milliseconds))
    }
    return response
  }

  // MARK: JSON

  private func body(of request: Request) async throws -> [UInt8] {
    do {
      return Array(try await request.body.collect(upTo: Self.maxBody).readableBytesView)
    } catch {
      throw BadCall("the body may have \(Self.maxBody) bytes at most")
    }
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ body: [UInt8]) throws -> Value {
    guard ForeignJSON.isSafe(body) else { throw BadCall("the body is no JSON that can be read") }
    do {
      return try ForeignJSON.decode(type, from: body)
    } catch let error as DecodingError {
      throw BadCall(error)
    }
  }

  private func json(_ value: some Encodable) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return .json(Array(try encoder.encode(value)))
  }
}

extension BadCall {
  /// What is wrong with JSON, and where.
  init(_ error: DecodingError) {
    switch error {
    case .typeMismatch(let type, let context): self.init("\(Self.place(context)): must be \(Self.words(for: type))")
    case .valueNotFound(let type, let context): self.init("\(Self.place(context)): must be \(Self.words(for: type))")
    case .keyNotFound(let key, let context): self.init("\(Self.place(context, key)): is missing")
    case .dataCorrupted(let context) where context.codingPath.last?.stringValue == "kind":
      let kinds = FaultEffect.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      self.init("\(Self.place(context)): one of \(kinds)")
    // It is JSON, and Foundation does not say where.
    default: self.init("a number is not whole, or too large for its field")
    }
  }

  private static func place(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
    let path = (context.codingPath + (key.map { [$0] } ?? [])).map {
      $0.intValue.map { "rule \($0 + 1)" } ?? $0.stringValue
    }
    return path.isEmpty ? "the body" : path.joined(separator: ".")
  }

  private static func words(for type: Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is Int.Type, is UInt64.Type: "a whole number"
    case is Double.Type: "a number"
    case is [FaultRule].Type: "a list of rules"
    default: "an object"
    }
  }
}
