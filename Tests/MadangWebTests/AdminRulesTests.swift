import Foundation
import MadangCore
import MadangOperations
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

/// What is asked of a request before a call of the administrator's console is looked at. A call that does not exist is answered with 404 once
/// all of that is right.
@Suite("Rules of the administrator's console", .timeLimit(.minutes(5)))
struct AdminRulesTests {
  private static let url = "https://chat.example.com"

  private static func settings(_ change: (inout ServerSettings) -> Void = { _ in }) -> ServerSettings {
    var settings = World.settings
    settings.web.admin.isOn = true
    settings.domain.publicURL = url
    change(&settings)
    return settings
  }

  /// The status and the code of the answer to a call that does not exist.
  private static func look(
    _ world: World, _ headers: [(String, String)], _ method: String = "GET"
  ) async throws -> String {
    let wire = try await Wire.connect(try #require(URL(string: world.url)?.port))
    let named = headers.contains { $0.0 == "Host" } ? headers : headers + [("Host", "localhost")]
    let answer = try await wire.request(method, "/admin/api/nothing", headers: named)
    let json = try? JSON(answer.body)
    return "\(answer.status) \((json?["error"] ?? json?["errorCode"])?.string ?? "")"
  }

  /// Every answer of a server that could differ.
  private static func answers(
    _ world: World, _ paths: [String], headers: [(String, String)] = []
  ) async throws -> [String] {
    var answers: [String] = []
    for method in [HTTPMethod.GET, .HEAD, .POST, .DELETE] {
      for path in paths {
        for key in [nil, "dev-key-2024-10"] {
          let answer = try await world.call(method, path, key: key, headers: headers)
          let fields = answer.headers.filter { $0.name != "Date" }.map { "\($0.name): \($0.value)" }
          answers.append("\(method) \(path) \(answer.status) \(fields) \(String(decoding: answer.body, as: UTF8.self))")
        }
      }
    }
    return answers
  }

  private static let paths = [
    "/admin", "/admin/", "/admin/admin.js", "/admin/look.css", "/admin/api", "/admin/api/session",
    "/admin/api/overview",
    "/admin/nothing",
  ]

  @Test(
    "with web.admin off, or for an address that may not use it, all answers are those of a server without pages",
    arguments: TestEngine.available)
  func off(_ engine: TestEngine) async throws {
    let clock = World.stoppedClock
    var settings = World.settings(\.web.chat, false)
    settings.web.admin.isOn = true
    settings.web.admin.addresses = try [#require(IPNetwork("10.0.0.0/8"))]
    try await World.run(engine, settings: World.settings, clock: clock) { [settings] (without) async throws in
      let expected = try await Self.answers(without, Self.paths)
      try await Browser.run(engine, settings: World.settings, clock: clock) { (chat) async throws in
        #expect(try await Self.answers(chat, Self.paths) == expected)
      }
      try await Browser.run(engine, settings: settings, clock: clock) { (closed) async throws in
        #expect(try await Self.answers(closed, Self.paths) == expected)
      }
    }
  }

  @Test(
    "the chat and the administrator's console are there independently of each other", arguments: [true, false],
    [true, false])
  func both(hasChat: Bool, hasConsole: Bool) async throws {
    var settings = World.settings(\.web.chat, hasChat)
    settings.web.admin.isOn = hasConsole
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      #expect(try await world.call(.GET, "/", key: nil).status == (hasChat ? 200 : 400))
      #expect(try await world.call(.GET, "/web/session", key: nil).status == (hasChat ? 200 : 400))
      #expect(try await world.call(.GET, "/admin/", key: nil).status == (hasConsole ? 200 : 400))
      #expect(try await world.call(.GET, "/admin/api/nothing", key: nil).status == (hasConsole ? 404 : 400))
      #expect(try await world.call(.GET, "/livez", key: nil).status == 200)
    }
  }

  @Test("the console is at /admin/, which its pages need to end in a slash, and not for search engines")
  func place() async throws {
    try await Browser.run(.sqlite, settings: Self.settings()) { (world) async throws in
      let wire = try await Wire.connect(try #require(URL(string: world.url)?.port))
      let moved = try await wire.request("GET", "/admin", headers: [("Host", "localhost")])
      #expect(moved.status == 308 && moved.headers["location"] == "/admin/")
      let page = try await wire.request("GET", "/admin/", headers: [("Host", "localhost")])
      #expect(page.status == 200 && page.headers["x-robots-tag"] == "noindex")
      for path in ["/admin/chat.js", "/admin/admin.js/more", "/admin/text.en.js"] {
        #expect(try await world.call(.GET, path, key: nil).code == "E01", "\(path)")
      }
      let refusal = try await world.call(.GET, "/admin/api/nothing", key: nil)
      #expect(refusal.headers["Cache-Control"] == ["no-store"] && refusal.headers["X-Robots-Tag"] == ["noindex"])
      #expect(refusal.headers["Cross-Origin-Resource-Policy"] == ["same-origin"])
    }
  }

  @Test(
    "a call needs TLS, as a trusted proxy reports it, or a program of this machine that calls it by a name of this machine"
  )
  func transport() async throws {
    let proxied: @Sendable (String?) -> [(String, String)] = { scheme in
      [("X-Forwarded-For", "203.0.113.9"), ("Host", "chat.example.com")]
        + (scheme.map { [("X-Forwarded-Proto", $0)] } ?? [])
    }
    let own = ("Origin", Self.url)
    try await Browser.run(
      .sqlite, settings: Self.settings { $0.trustedProxies = [IPNetwork("127.0.0.1")].compactMap(\.self) }
    ) {
      (world) async throws in
      #expect(try await Self.look(world, proxied("http")) == "403 transport")
      #expect(try await Self.look(world, proxied(nil)) == "403 transport")
      #expect(try await Self.look(world, proxied("https")) == "404 notFound")
      #expect(try await Self.look(world, proxied("https") + [own]) == "404 notFound")
      #expect(try await Self.look(world, [("Host", "127.0.0.1:8080")]) == "404 notFound")
      #expect(try await Self.look(world, [("Host", "chat.example.com")]) == "403 transport")
      // A proxy that sends nothing of its own, and its own name for the server.
      #expect(try await Self.look(world, [own, ("Host", "127.0.0.1:8080")]) == "403 transport")
    }
    // Of a proxy that the settings do not name, nothing counts.
    try await Browser.run(.sqlite, settings: Self.settings()) { (world) async throws in
      #expect(try await Self.look(world, proxied("https")) == "403 transport")
      #expect(try await Self.look(world, [("Host", "localhost"), ("X-Forwarded-Proto", "https")]) == "403 transport")
      #expect(
        try await Self.look(world, [("Host", "localhost"), ("Forwarded", "for=127.0.0.1;proto=https")])
          == "403 transport")
      #expect(try await Self.look(world, [("Host", "localhost")]) == "404 notFound")
      #expect(try await Self.look(world, [("Host", "admin.localhost:1")]) == "404 notFound")
    }
  }

  @Test("a call by a name that was made to lead here, or from a page of another site, is refused")
  func origin() async throws {
    let proxied = [("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-Proto", "https")]
    try await Browser.run(
      .sqlite, settings: Self.settings { $0.trustedProxies = [IPNetwork("127.0.0.1")].compactMap(\.self) }
    ) {
      (world) async throws in
      #expect(try await Self.look(world, proxied + [("Host", "evil.example")]) == "403 origin")
      #expect(
        try await Self.look(world, proxied + [("Host", "evil.example"), ("Origin", "https://evil.example")])
          == "403 origin")
      #expect(
        try await Self.look(world, proxied + [("Host", "madang:8080"), ("X-Forwarded-Host", "chat.example.com")])
          == "404 notFound")
      #expect(
        try await Self.look(world, proxied + [("Host", "madang:8080"), ("X-Forwarded-Host", "evil.example")])
          == "403 origin")
      for headers in [
        [("Origin", "https://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site")],
      ] {
        for method in ["GET", "POST"] {
          #expect(
            try await Self.look(world, proxied + headers + [("Host", "chat.example.com")], method) == "403 origin",
            "\(headers)")
        }
      }
      #expect(
        try await Self.look(world, proxied + [("Sec-Fetch-Site", "same-origin"), ("Host", "chat.example.com")])
          == "404 notFound")
    }
    try await Browser.run(.sqlite, settings: Self.settings()) { (world) async throws in
      #expect(try await Self.look(world, [("Origin", "http://localhost:1")]) == "403 origin", "another port")
      #expect(try await Self.look(world, [("Origin", "http://localhost"), ("Host", "localhost")]) == "404 notFound")
    }
  }

  @Test(
    "web.admin.addresses names who may use it: by the address that a trusted proxy forwards, and only if headers agree")
  func addresses() async throws {
    let settings = Self.settings { settings in
      settings.trustedProxies = [IPNetwork("127.0.0.1")].compactMap(\.self)
      settings.web.admin.addresses = [IPNetwork("10.0.0.0/8"), IPNetwork("127.0.0.1")].compactMap(\.self)
    }
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      @Sendable func look(_ forwarded: String, _ more: [(String, String)] = []) async throws -> String {
        try await Self.look(
          world,
          [("X-Forwarded-For", forwarded), ("X-Forwarded-Proto", "https"), ("Host", "chat.example.com")] + more)
      }
      #expect(try await look("10.1.2.3") == "404 notFound")
      #expect(try await look("203.0.113.9") == "400 E01")
      #expect(try await look("10.1.2.3, 203.0.113.9") == "400 E01")
      #expect(try await look("10.1.2.3", [("Forwarded", "for=203.0.113.9;proto=https")]) == "400 E01")
      #expect(try await look("unknown") == "400 E01")
      #expect(try await Self.look(world, []) == "404 notFound")
    }
  }
}
