import MadangAPI
import NIOHTTP1

/// An answer, as it came.
struct Answer: Sendable {
  let request: Request
  let status: Int
  let headers: HTTPHeaders
  let body: [UInt8]

  /// Method and target of the request.
  var call: String { request.call }
  var text: String { String(decoding: body, as: UTF8.self) }
  var isSuccessful: Bool { (200..<300).contains(status) }

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

  func violation(_ expected: String, cause: Cause? = nil) -> Violation {
    Violation(expected: expected, seen: description, cause: cause, request: request.number)
  }

  /// What a success holds. The exact status is a rule of its own.
  func json() throws -> JSON {
    try isSuccess()
    return try anyJSON()
  }

  func anyJSON() throws -> JSON {
    do { return try JSON(body) } catch { throw violation("JSON (\(error.reason))") }
  }

  func list() throws -> [JSON] {
    guard case .list(let list) = try json() else { throw violation("an array") }
    return list
  }

  func isSuccess() throws { if isRefusal { throw violation("a success", cause: causeOfRefusal) } }

  @discardableResult
  func hasShape(_ shape: Shape) throws -> JSON {
    let json = try json()
    if let fault = shape.fault(in: json) { throw violation(fault.expected, cause: fault.cause) }
    return json
  }

  /// What the server calls the error, with any status. Longer bodies are no refusals.
  private var namedError: JSON? { body.count > 1000 ? nil : (try? JSON(body))?["errorCode"] }

  /// The code of a refusal, however else it is written; nil for anything else.
  var code: String? {
    guard !isSuccessful, case .text(let code)? = namedError else { return nil }
    return code
  }

  /// Whether the server refused the call, with any status.
  var isRefusal: Bool { !isSuccessful || namedError != nil }

  func isRefused(_ codes: ErrorCode...) throws {
    if codes.contains(where: { $0.rawValue == code }) { return }
    throw violation(
      codes.map { "\($0.rawValue) (\($0.meaning))" }.joined(separator: " or "), cause: causeInstead(of: codes))
  }

  /// The errorCode of a refusal.
  func errorCode() throws -> String {
    guard let code = namedError else { throw violation("the key errorCode", cause: causeInstead(of: [])) }
    guard case .text(let text) = code else { throw violation("a string at errorCode") }
    return text
  }

  /// The difference behind the refusal of a good call.
  private var causeOfRefusal: Cause? {
    if isSuccessful { return .errorsAsSuccess }
    if request.hasAccessToken, status == 401 || code == ErrorCode.badToken.rawValue { return .rawToken }
    return request.body.hasUnusualPartName ? .partNames : nil
  }

  /// The difference behind an answer that is no refusal with one of the codes.
  private func causeInstead(of codes: [ErrorCode]) -> Cause? {
    if isSuccessful { return namedError == nil ? nil : .errorsAsSuccess }
    guard let code else { return .errorsWithoutCode }
    guard let due = codes.first else { return nil }
    let expiry: Set = [ErrorCode.tokenExpired.rawValue, ErrorCode.refreshExpired.rawValue]
    if expiry.isSuperset(of: [code, due.rawValue]) { return .expiryCodes }
    if code == ErrorCode.badToken.rawValue, request.hasAccessToken, !expiry.contains(due.rawValue) { return .rawToken }
    return Cause("\(code) comes where \(due.rawValue) is due.")
  }

  /// Nothing to return, as the edition writes it.
  func isEmptySuccess(in edition: EditionName) throws {
    try isSuccess()
    switch edition {
    case .january2024: guard body.isEmpty else { throw violation("a body of zero bytes", cause: .emptyAnswer) }
    case .october2024: guard text == "{}" else { throw violation("the body {}", cause: .emptyAnswer) }
    }
  }
}
