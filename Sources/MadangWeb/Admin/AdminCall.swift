import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer

/// A call of the administrator's console.
struct AdminCall {
  let console: AdminConsole
  let received: ReceivedRequest
  let parameters: PathParameters
  /// The body; empty for a GET.
  let bytes: [UInt8]
  /// The value of the cookie; nil if the request has none.
  let token: String?
  /// Nil in open calls only.
  let session: AdministratorSession?

  /// The session of the signed-in administrator. Throws ``AdminRefusal/signedOut``.
  var signedIn: AdministratorSession {
    get throws {
      guard let session else { throw AdminRefusal.signedOut }
      return session
    }
  }
  /// Who is signed in; nil in open calls only.
  var administrator: Administrator? { session?.actor(at: address) }
  /// The caller's network address.
  var address: String { received.address }
  var madang: Madang { received.madang }
  var settings: ServerSettings { received.settings }
  /// The operations of `madang admin`, in the name of the administrator who is signed in. Throws ``AdminRefusal/signedOut``.
  var administration: Administration {
    get throws {
      guard let administrator else { throw AdminRefusal.signedOut }
      return Administration(madang, settings, actingAs: administrator)
    }
  }

  /// What the server keeps for the console.
  var parts: ConsoleParts {
    get throws {
      guard let parts = received.console else { throw AdminRefusal.failed }
      return parts
    }
  }

  /// Runs what may look at many rows: one at a time of all administrators, so that chats go on beside it.
  func inTurn<Success: Sendable>(_ search: @Sendable () async throws -> Success) async throws -> Success {
    try await received.inTurn(try parts.searches, search)
  }

  /// A number in the path. Throws `notFound` for other text, as nothing has it.
  func number(_ name: String = "number") throws -> Int64 {
    let text = parameters[name] ?? ""
    guard let number = Int64(text), number > 0, String(number) == text else {
      throw AdminRefusal.notFound("'\(text.prefix(40))' is no number of a row")
    }
    return number
  }

  /// A text of the query; nil if it is absent or empty.
  func text(_ key: String, upTo length: Int = 100) throws -> String? {
    guard let text = received.target[key], !text.isEmpty else { return nil }
    guard text.count <= length else { throw AdminRefusal.refused("\(key): may have \(length) characters at most") }
    return text
  }

  /// A number of the query; nil if it is absent or empty.
  func integer(_ key: String, in range: ClosedRange<Int64> = 0...Int64.max) throws -> Int64? {
    guard let text = try text(key) else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw AdminRefusal.refused("\(key): write a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The rows of one answer, 50 if the query does not say.
  func limit() throws -> Int { Int(try integer("limit", in: 1...200) ?? 50) }

  /// The end of the previous part of a list; 0 for the first part.
  func after() throws -> Int64 { try integer("after") ?? 0 }

  /// An answer with which the browser gets another cookie.
  func answer(_ object: some Encodable, newToken: String) throws -> Response {
    var response = Response.json(try WireEncoder.encode(object))
    console.cookie.set(newToken, in: &response, isSecure: received.isSecure)
    return response
  }

  /// `{}`, with which the browser loses its cookie.
  func answerWithoutToken() -> Response {
    var response = Response.json(Array("{}".utf8))
    console.cookie.remove(from: &response, isSecure: received.isSecure)
    return response
  }

  /// What a page shows with writes while the browser has this cookie.
  func proof(of token: String) -> String { console.cookie.proof(of: token) }
}
