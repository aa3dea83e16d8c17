import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import MadangWeb
import NIOHTTP1
import Support
import Testing

import class MadangDevelopment.TestKit

/// A browser with one page of the chat.
final class Browser {
  let world: World
  /// By name.
  private(set) var cookies: [String: String] = [:]
  var proof = ""
  /// What it had before the last answer that took a cookie away.
  private var former: (cookies: [String: String], proof: String)?

  init(_ world: World) { self.world = world }

  /// Runs a server with pages.
  static func run(
    _ engine: TestEngine, settings: ServerSettings = World.settings, clock: Clock = World.stoppedClock,
    _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws {
    try await World.run(engine, settings: settings, clock: clock, kit: kit, body)
  }

  static let kit: @Sendable (Clock) -> TestKit = { TestKit(clock: $0) }

  /// The cookie of the session.
  var session: String? { cookies.first { $0.key.contains("madang_web") }?.value }
  /// The cookies that go with sockets.
  var cookieField: String { cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }

  @discardableResult
  func call(
    _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], _ body: World.Body = .none
  ) async throws -> World.Answer {
    let own = [("Cookie", cookieField), ("X-Madang-Proof", proof)].filter { !$0.1.isEmpty }
    let answer = try await world.call(method, "/web/" + path, key: nil, headers: own + headers, body)
    if answer.headers["Set-Cookie"].contains(where: { $0.contains("Max-Age=0") }) { former = (cookies, proof) }
    for field in answer.headers["Set-Cookie"] {
      let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      cookies[String(pair[0])] = field.contains("Max-Age=0") ? nil : String(pair[1])
    }
    if answer.status == 200, let proof = try? answer.json["proof"]?.string { self.proof = proof }
    return answer
  }

  /// Sends the cookies again that an answer has taken away.
  func restore() { if let former { (cookies, proof) = former } }

  /// Opens the page.
  func open() async throws { try #require(try await call(.GET, "session").status == 200) }

  func signIn(_ email: String, password: String = World.password) async throws -> World.Answer {
    try await open()
    return try await call(.POST, "session", .json(["email": .text(email), "password": .text(password)]))
  }

  func signUp(_ nickname: String, invitation: String? = nil) async throws -> World.Answer {
    try await open()
    var body: [String: JSON] = [
      "email": .text("\(nickname.lowercased())@example.com"), "password": .text(World.password),
      "nickname": .text(nickname),
    ]
    body["invitation"] = invitation.map { .text($0) }
    return try await call(.POST, "accounts", .json(.object(body)))
  }
}
