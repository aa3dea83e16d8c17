import MadangAPI
import NIOHTTP1
import Synchronization

/// One rule being tried in one edition: makes calls, and people who make calls.
struct Trial: Sendable {
  let server: ServerUnderTest
  let edition: EditionName
  let shapes: Shapes

  init(_ server: ServerUnderTest, _ edition: EditionName) {
    (self.server, self.edition) = (server, edition)
    shapes = Shapes(edition)
  }

  var isOctober: Bool { edition == .october2024 }

  /// The same in the other edition.
  var other: Trial { Trial(server, isOctober ? .january2024 : .october2024) }

  /// The key of the edition. The runner has seen that there is one.
  var key: String { server.keys[edition] ?? "" }

  static let password = "Passw0rd!"

  /// Makes a call as clients do: with the edition's key, and the raw token if there is one.
  /// - Parameter path: With a leading slash, the whole target; else what follows `/v1/`.
  func call(
    _ method: HTTPMethod, _ path: String, token: String? = nil, key: Key = .own, headers: [(String, String)] = [],
    _ body: RequestBody = .none
  ) async throws -> Answer {
    var fields = headers
    switch key {
    case .own: fields.append((HeaderName.apiKey, self.key))
    case .text(let text): fields.append((HeaderName.apiKey, text))
    case .none: break
    }
    if let token { fields.append((HeaderName.authorization, token)) }
    return try await server.send(
      method, path.hasPrefix("/") ? path : "/v1/" + path, headers: fields, body, hasSession: token != nil)
  }

  /// Which `SesacKey` a call carries.
  enum Key {
    case own
    case text(String)
    case none
  }

  /// A call under `/_dev`.
  func develop(_ method: HTTPMethod, _ path: String, _ body: JSON? = nil) async throws -> JSON {
    let answer = try await server.send(
      method, "/_dev/" + path, body.map { .raw($0.text, type: nil) } ?? .none, hasSession: true)
    return try answer.json()
  }

  /// Moves the server's clock on, and answers what it shows then.
  @discardableResult
  func advanceClock(seconds: Int) async throws -> String {
    try await develop(.POST, "clock", ["advance": .number("\(seconds)")]).text("now")
  }

  private static let serial = Atomic(0)

  /// A text that nobody else uses.
  static func unique() -> String {
    let number = serial.add(1, ordering: .relaxed).newValue
    return "\(String(UInt32.random(in: .min ... .max), radix: 36))-\(number)"
  }
}
