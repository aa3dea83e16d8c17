import MadangAPI
import NIOHTTP1

/// An answer, as it came.
struct Answer: Sendable {
  /// Method and target of the request.
  let call: String
  let status: Int
  let headers: HTTPHeaders
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  /// For evidence: without secrets, and short.
  var description: String {
    let content = (try? JSON(body))?.masked.text ?? text
    return "\(call) answered \(status) \(content)".shortened
  }

  /// The value of a header that must be there once.
  func header(_ name: String) throws -> String {
    let values = headers[name]
    try expect(values.count == 1, "one header \(name)", seen: "\(call) answered with \(values.count) of them")
    return values[0]
  }

  /// What a success holds. The exact status is a rule of its own.
  func json() throws -> JSON {
    try expect((200..<300).contains(status), "a success", seen: description)
    return try anyJSON()
  }

  func anyJSON() throws -> JSON {
    do { return try JSON(body) } catch {
      throw Violation(expected: "JSON (\(error.reason))", seen: description)
    }
  }

  func list() throws -> [JSON] {
    guard case .list(let list) = try json() else { throw Violation(expected: "an array", seen: description) }
    return list
  }

  func isSuccess() throws {
    try expect((200..<300).contains(status), "a success", seen: description)
  }

  @discardableResult
  func hasShape(_ shape: Shape) throws -> JSON {
    let json = try json()
    if let fault = shape.fault(in: json) { throw Violation(expected: fault, seen: description) }
    return json
  }

  /// The code of a refusal, however else it is written; nil for anything else.
  var code: String? {
    guard !(200..<300).contains(status), case .text(let code)? = (try? JSON(body))?["errorCode"] else { return nil }
    return code
  }

  func isRefused(_ code: ErrorCode) throws {
    try expect(self.code == code.rawValue, "\(code.rawValue) (\(code.meaning))", seen: description)
  }

  /// Nothing to return, as the edition writes it.
  func isEmptySuccess(in edition: EditionName) throws {
    try isSuccess()
    switch edition {
    case .january2024: try expect(body.isEmpty, "a body of zero bytes", seen: description)
    case .october2024: try expect(text == "{}", "the body {}", seen: description)
    }
  }
}
