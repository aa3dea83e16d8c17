import Foundation
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("The administrator's console: signing in", .timeLimit(.minutes(5)))
struct AdministratorCallsTests {
  private func run(_ engine: TestEngine, _ body: @escaping @Sendable (World) async throws -> Void) async throws {
    try await AdminBrowser.run(engine, body)
  }

  @Test(
    "a link leads to a session, and its cookie is hidden from scripts and other sites", arguments: TestEngine.available)
  func setup(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let token = try await world.server.madang.makeAdministratorLink(byOperator: .hana).token
      let browser = AdminBrowser(world)
      let before = try await browser.call(.GET, "session")
      #expect(try before.json["administrator"] == .null && before.json["server"]?["idleMinutes"]?.int == 30)
      let opened = try await browser.openLink(token)
      #expect(try opened.json["first"] == .bool(true) && opened.json["proof"]?.string == browser.proof)
      #expect(try await browser.openLink(token).json["secret"] == opened.json["secret"])
      #expect(try await browser.setUp(token, "hana", code: "12345").json["error"]?.string == "code")
      let random = browser.cookies
      let added = try await browser.setUp(token, "hana")
      #expect(try added.json["administrator"]?["name"] == "hana" && added.json["recoveryCodes"]?.list?.count == 10)
      let cookie = try #require(added.headers["Set-Cookie"].first)
      for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/admin/"] { #expect(cookie.contains(part), "\(cookie)") }
      #expect(!cookie.contains("Max-Age") && browser.cookies != random, "a new value at the setup")
      #expect(try await browser.call(.GET, "session").json["administrator"]?["name"] == "hana")
      let list = try await browser.call(.GET, "administrators").json
      #expect(list["administrators"]?[0]?["isYou"] == .bool(true) && list["links"] == .list([]))
      #expect(list["administrators"]?[0]?["address"] == "127.0.0.1")
    }
  }

  @Test("a link counts once and for 30 minutes", arguments: TestEngine.available)
  func links(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let madang = world.server.madang
      let token = try await madang.makeAdministratorLink(byOperator: .hana).token
      let (one, other) = (AdminBrowser(world), AdminBrowser(world))
      _ = try await one.openLink(token)
      _ = try await other.openLink(token)
      let fields = { (name: String) -> JSON in
        [
          "token": .text(token), "name": .text(name), "password": .text(AdminBrowser.password),
          "code": .text(one.app.code(world.clock)),
        ]
      }
      // Both at once.
      let (first, second) = (fields("hana"), fields("joon"))
      async let answer = one.outcome(.POST, "setup", first)
      let late = try await other.outcome(.POST, "setup", second)
      #expect(try await [answer, late].sorted() == ["200", "410 link"])
      #expect(try await other.outcome(.POST, "setup/open", ["token": .text(token)]) == "410 link")
      let old = try await madang.makeAdministratorLink(byOperator: .hana).token
      world.clock.advance(milliseconds: 1_800_000)
      #expect(try await other.openLink(old).json["error"]?.string == "link")
    }
  }

  @Test("wrong name, password and code have the same answer; a code counts once", arguments: TestEngine.available)
  func credentials(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      let browser = AdminBrowser(world)
      try await browser.open()
      var answers: Set<[UInt8]> = []
      let code = hana.app.code(world.clock)
      for (name, password, code) in [
        ("mallory", AdminBrowser.password, code), ("hana@example.com", "Wrong1234!", code),
        ("hana@example.com", AdminBrowser.password, hana.app.code(world.clock, ahead: 2)),
      ] {
        let answer = try await browser.signIn(like: hana, name, password: password, code: code)
        #expect(answer.status == 400)
        answers.insert(answer.body)
      }
      #expect(answers.count == 1)
      let before = browser.cookies
      #expect(try await browser.signIn(like: hana).status == 200)
      #expect(browser.cookies != before)
      #expect(try await AdminBrowser(world).signIn(like: hana).json["error"]?.string == "credentials", "a used code")
      #expect(try await AdminBrowser(world).signIn(like: hana, code: hana.recoveryCodes[0]).status == 200)
      #expect(
        try await AdminBrowser(world).signIn(like: hana, code: hana.recoveryCodes[0]).json["error"]?.string
          == "recovery")
      #expect(try await browser.outcome(.DELETE, "session") == "200")
      #expect(browser.cookies.isEmpty)
      #expect(try await hana.outcome(.GET, "administrators") == "200")
    }
  }

  @Test("after five attempts a minute the answer says how long to wait", arguments: TestEngine.available)
  func tries(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      let browser = AdminBrowser(world)
      for _ in 1...5 {
        #expect(try await browser.signIn(like: hana, password: "Wrong1234!").json["error"]?.string == "credentials")
      }
      world.clock.advance(milliseconds: 20_000)
      let refused = try await browser.signIn(like: hana)
      #expect(try refused.status == 429 && refused.json["error"] == "wait")
      #expect(refused.headers["Retry-After"] == ["40"])
      world.clock.advance(milliseconds: 40_000)
      #expect(try await browser.signIn(like: hana).status == 200)
    }
  }

  @Test("a refused sign-in has a line in the log with the address, and nothing that was typed")
  func logged() async throws {
    let log = LogRecorder()
    let settings = World.settings(\.web.admin.isOn, true)
    try await World.run(.sqlite, settings: settings, logger: log.logger, kit: Browser.kit) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      _ = try await hana.signIn(like: hana, password: "Wrong1234!")
      let lines = log.lines.filter { $0.hasPrefix("sign-in refused") }
      #expect(lines.count == 1, "\(log.lines)")
      #expect(lines.allSatisfy { $0.contains("address=127.0.0.1") && $0.contains("call=POST /admin/api/session") })
      #expect(!log.lines.contains { $0.contains("hana@example.com") || $0.contains("Wrong1234!") })
    }
  }

  @Test("a session ends without activity, which polls are not, and after 12 hours", arguments: TestEngine.available)
  func ends(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      let polling = AdminBrowser(world)
      #expect(try await polling.signIn(like: hana).status == 200)
      let poll = [("X-Madang-Poll", "1")]
      for _ in 1...2 {
        world.clock.advance(milliseconds: 899_000)
        #expect(try await polling.outcome(.GET, "administrators", headers: poll) == "200")
        #expect(try await hana.outcome(.GET, "administrators") == "200")
      }
      world.clock.advance(milliseconds: 3000)
      #expect(try await polling.outcome(.GET, "administrators") == "401 signedOut")
      #expect(try await polling.call(.GET, "session").json["administrator"] == .null)
      for _ in 1...45 {
        world.clock.advance(milliseconds: 900_000)
        #expect(try await hana.outcome(.GET, "administrators") == "200")
      }
      world.clock.advance(milliseconds: 900_000)
      #expect(try await hana.outcome(.GET, "administrators") == "401 signedOut")
      #expect(try await hana.outcome(.DELETE, "session") == "401 signedOut")
    }
  }

  @Test("a forged proof and a call of another origin change nothing", arguments: TestEngine.available)
  func proof(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      let other = try await AdminBrowser.administrator(world, "joon")
      let password: JSON = ["password": .text(AdminBrowser.password)]
      for forged in [other.proof, "x", ""] {
        #expect(
          try await hana.outcome(.POST, "administrators", password, headers: [("X-Madang-Proof", forged)])
            == "403 proof")
        #expect(try await hana.outcome(.DELETE, "session", headers: [("X-Madang-Proof", forged)]) == "403 proof")
      }
      for foreign in [
        ("Origin", "http://127.0.0.1:1"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
      ] {
        #expect(try await hana.outcome(.POST, "administrators", password, headers: [foreign]) == "403 origin")
        #expect(try await hana.outcome(.GET, "administrators", headers: [foreign]) == "403 origin")
      }
      #expect(try await world.server.madang.administratorLinks().isEmpty)
      #expect(try await hana.outcome(.POST, "administrators", password) == "200")
    }
  }

  @Test("before the sign-in nothing is there but signing in and setting up", arguments: TestEngine.available)
  func closed(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      let visitor = AdminBrowser(world)
      try await visitor.open()
      let calls: [(HTTPMethod, String)] = [
        (.GET, "administrators"), (.POST, "administrators"), (.DELETE, "administrators/1"),
        (.DELETE, "administrators/links/1"), (.PUT, "me/password"), (.POST, "me/totp"), (.PUT, "me/totp"),
        (.DELETE, "session"),
      ]
      for (method, path) in calls {
        #expect(try await visitor.outcome(method, path, method == .GET ? nil : [:]) == "401 signedOut", "\(path)")
      }
      #expect(try await hana.outcome(.PUT, "me/password", ["password": "x", "next": "y", "z": 1]) == "400 refused")
      #expect(try await hana.outcome(.PUT, "me/password", ["password": "x"]) == "400 refused")
    }
  }

  @Test(
    "a new password ends the other sessions, a removal those of the removed administrator",
    arguments: TestEngine.available)
  func others(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      let second = AdminBrowser(world)
      #expect(try await second.signIn(like: hana).status == 200)
      let change: JSON = ["password": .text(AdminBrowser.password), "next": "Landscape-8"]
      #expect(
        try await hana.outcome(.PUT, "me/password", ["password": "no", "next": "Landscape-8"]) == "400 credentials")
      #expect(
        try await hana.outcome(.PUT, "me/password", ["password": .text(AdminBrowser.password), "next": "x"])
          == "400 weak")
      #expect(try await hana.outcome(.PUT, "me/password", change) == "200")
      #expect(try await hana.outcome(.GET, "administrators") == "200")
      #expect(try await second.outcome(.GET, "administrators") == "401 signedOut")

      let joon = try await AdminBrowser.administrator(world, "joon")
      let all = try await hana.call(.GET, "administrators").json["administrators"]?.list ?? []
      let numbers = all.compactMap { $0["number"]?.int }
      try #require(numbers.count == 2)
      let password: JSON = ["password": "Landscape-8"]
      #expect(try await hana.outcome(.DELETE, "administrators/99", password) == "404 notFound")
      #expect(try await hana.outcome(.DELETE, "administrators/x", password) == "404 notFound")
      #expect(try await hana.outcome(.DELETE, "administrators/\(numbers[1])", ["password": "no"]) == "400 credentials")
      #expect(try await hana.outcome(.DELETE, "administrators/\(numbers[1])", password) == "200")
      #expect(try await joon.outcome(.GET, "administrators") == "401 signedOut")
      #expect(try await hana.outcome(.DELETE, "administrators/\(numbers[0])", password) == "409 last")
    }
  }

  @Test("a call does nothing if its session ends before its body is whole", arguments: TestEngine.available)
  func slowly(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      let joon = try await AdminBrowser.administrator(world, "joon")
      let wire = try await Wire.connect(try #require(URL(string: world.url)?.port))
      let body = #"{"label":"later","edition":"2024-10","registration":null,"approval":null}"#
      let head = """
        POST /admin/api/keys HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: \(joon.cookieField)\r\nX-Madang-Proof: \(joon.proof)\r
        Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n
        """
      try await wire.send(Array(head.utf8) + body.utf8.prefix(3))
      let all = try await hana.call(.GET, "administrators").json["administrators"]?.list ?? []
      let numbers = all.compactMap { $0["number"]?.int }
      let number = try #require(numbers.last)
      let password: JSON = ["password": .text(AdminBrowser.password)]
      #expect(try await hana.outcome(.DELETE, "administrators/\(number)", password) == "200")
      try await wire.send(Array(body.utf8.dropFirst(3)))
      #expect(String(decoding: await wire.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 401 "))
      let keys = try await hana.call(.GET, "keys").json["keys"]?.list ?? []
      #expect(!keys.contains { $0["label"]?.string == "later" })
    }
  }

  @Test("a new authenticator needs the password and its first code", arguments: TestEngine.available)
  func authenticator(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await hana.outcome(.POST, "me/totp", ["password": "no"]) == "400 credentials")
      let secret = try await hana.call(.POST, "me/totp", ["password": .text(AdminBrowser.password)]).json["secret"]?
        .string
      let app = Authenticator(try #require(secret))
      #expect(try await hana.outcome(.PUT, "me/totp", ["code": .text(hana.app.code(world.clock))]) == "400 code")
      let codes = try await hana.call(.PUT, "me/totp", ["code": .text(app.code(world.clock))]).json["recoveryCodes"]?
        .list
      #expect(codes?.count == 10)
      world.clock.advance(milliseconds: 60_000)
      #expect(try await AdminBrowser(world).signIn(like: hana).status == 400)
      #expect(try await AdminBrowser(world).signIn(like: hana, code: app.code(world.clock)).status == 200)
    }
  }

  @Test("an administrator makes a link for another one, and withdraws it", arguments: TestEngine.available)
  func invitation(_ engine: TestEngine) async throws {
    try await run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      let made = try await hana.call(.POST, "administrators", ["password": .text(AdminBrowser.password)]).json
      let link = try #require(made["link"]?.string)
      #expect(link.contains("/admin/#setup=") && made["expiresAt"]?.string != nil)
      let links = try await hana.call(.GET, "administrators").json["links"]?.list ?? []
      #expect(links.count == 1 && links.first?["by"] == "hana@example.com")
      let joon = AdminBrowser(world)
      let token = String(link.split(separator: "=").last ?? "")
      #expect(try await joon.openLink(token).json["first"] == .bool(false))
      let number = try #require(links.first?["number"]?.int)
      #expect(try await hana.outcome(.DELETE, "administrators/links/\(number)", [:]) == "200")
      #expect(try await joon.setUp(token, "joon").json["error"]?.string == "link")
      #expect(try await hana.outcome(.DELETE, "administrators/links/\(number)", [:]) == "404 notFound")
    }
  }
}
