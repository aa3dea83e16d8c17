import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Support
import Testing

/// A browser at the administrator's console.
final class AdminBrowser {
  static let password = "Persimmon-7"

  let world: World
  /// The cookies of the console, by name.
  private(set) var cookies: [String: String] = [:]
  var proof = ""
  private(set) var app = Authenticator("")
  private(set) var recoveryCodes: [String] = []

  init(_ world: World) { self.world = world }

  /// Another window with the same cookies.
  init(copying one: AdminBrowser) { (world, cookies, proof, app) = (one.world, one.cookies, one.proof, one.app) }

  /// Runs a server with the console.
  static func run(
    _ engine: TestEngine, clock: Clock = World.stoppedClock, _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws {
    try await Browser.run(engine, settings: World.settings(\.web.admin.isOn, true), clock: clock, body)
  }

  /// What it sends of its cookies.
  var cookieField: String { cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }

  @discardableResult
  func call(
    _ method: HTTPMethod, _ path: String, _ body: JSON? = nil, headers: [(String, String)] = []
  ) async throws -> World.Answer {
    let own = [("Cookie", cookieField), ("X-Madang-Proof", proof)].filter { field in
      !field.1.isEmpty && !headers.contains { $0.0 == field.0 }
    }
    let answer = try await world.call(
      method, "/admin/api/" + path, key: nil, headers: own + headers, body.map { .json($0) } ?? .none)
    for field in answer.headers["Set-Cookie"] {
      let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      cookies[String(pair[0])] = field.contains("Max-Age=0") ? nil : String(pair[1])
    }
    if answer.status == 200, let proof = try? answer.json["proof"]?.string { self.proof = proof }
    return answer
  }

  /// The same call as an outcome: status, and the word of a refusal.
  func outcome(
    _ method: HTTPMethod, _ path: String, _ body: JSON? = nil, headers: [(String, String)] = []
  ) async throws -> String {
    let answer = try await call(method, path, body, headers: headers)
    return "\(answer.status)" + ((try? answer.json["error"]?.string).map { " \($0)" } ?? "")
  }

  /// Opens the page.
  func open() async throws { try #require(try await call(.GET, "session").status == 200) }

  /// Opens a link.
  func openLink(_ token: String) async throws -> World.Answer {
    try await open()
    let answer = try await call(.POST, "setup/open", ["token": .text(token)])
    if let secret = try answer.json["secret"]?.string { app = Authenticator(secret) }
    return answer
  }

  /// Sets an administrator up by an opened link.
  func setUp(_ token: String, _ name: String, code: String? = nil) async throws -> World.Answer {
    let answer = try await call(
      .POST, "setup",
      [
        "token": .text(token), "name": .text(name), "password": .text(Self.password),
        "code": .text(code ?? app.code(world.clock)),
      ])
    recoveryCodes = try answer.json["recoveryCodes"]?.list?.compactMap(\.string) ?? recoveryCodes
    return answer
  }

  /// A browser in which a new administrator is signed in, whose next code counts.
  static func administrator(_ world: World, _ name: String = "hana@example.com") async throws -> AdminBrowser {
    let browser = AdminBrowser(world)
    let token = try await world.server.madang.makeAdministratorLink(byOperator: .hana).token
    try #require(try await browser.openLink(token).status == 200)
    try #require(try await browser.setUp(token, name).status == 200)
    world.clock.advance(milliseconds: 30_000)
    return browser
  }

  /// Signs in, with the authenticator app of another browser's administrator.
  func signIn(
    like one: AdminBrowser, _ name: String = "hana@example.com", password: String = password, code: String? = nil
  ) async throws -> World.Answer {
    if proof.isEmpty { try await open() }
    return try await call(
      .POST, "session",
      ["name": .text(name), "password": .text(password), "code": .text(code ?? one.app.code(world.clock))])
  }
}
