import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOClient
import SocketIOProtocol
import SocketIOSupport
import Storage
import Support
import Testing

@Suite("Sessions of browsers", .timeLimit(.minutes(5)))
struct SessionTests {
  @Test("a browser signs in, calls the edition, and signs out", arguments: TestEngine.available)
  func journey(_ engine: TestEngine) async throws {
    try await Browser.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let browser = Browser(world)
      let before = try await browser.call(.GET, "session").json
      #expect(before["account"] == .null && before["waits"] == .null)
      #expect(before["server"]?["signup"] == "open" && before["server"]?["edition"] == "2024-10")
      let first = browser.session
      let after = try await browser.signIn(mina.email).json
      #expect(try await mina.get("users/me") == after["account"])
      #expect(browser.session != first, "a new cookie")
      #expect(try await browser.call(.GET, "v1/users/me").json == (try await mina.get("users/me")))
      #expect(try await browser.call(.GET, "session").json["account"]?["email"] == .text(mina.email))
      let edited = try await browser.call(.PUT, "v1/users/me", .json(["nickname": "민아"]))
      #expect(try edited.json["nickname"] == "민아")
      let kept = (browser.cookieField, browser.proof)
      let left = try await browser.call(.DELETE, "session")
      // Pictures do not stay for who uses the browser next.
      #expect(try left.json == [:] && left.headers["Clear-Site-Data"] == [#""cache""#])
      #expect(browser.session == nil)
      let ended = try await world.call(
        .GET, "/web/v1/users/me", key: nil, headers: [("Cookie", kept.0), ("X-Madang-Proof", kept.1)])
      #expect(ended.code == "E02")
      #expect(try await browser.call(.GET, "session").json["account"] == .null)
      #expect(try await mina.get("users/me")["nickname"] == "민아", "other sessions go on")
    }
  }

  @Test("the cookie cannot be read by scripts or sent by other sites; over TLS it is sent over TLS alone")
  func cookie() async throws {
    var settings = World.settings
    settings.trustedProxies = [try #require(IPNetwork("127.0.0.1"))]
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      let plain = try await world.call(.GET, "/web/session", key: nil).headers["Set-Cookie"]
      let secure = try await world.call(
        .GET, "/web/session", key: nil, headers: [("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-Proto", "https")]
      ).headers["Set-Cookie"]
      try #require(plain.count == 1 && secure.count == 1)
      #expect(plain[0].hasPrefix("madang_web_") && secure[0].hasPrefix("__Host-madang_web_"))
      for cookie in plain + secure {
        let attributes = Set(cookie.split(separator: "; ").dropFirst().map(String.init))
        #expect(attributes.isSuperset(of: ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"]), "\(cookie)")
        #expect(!cookie.contains("Domain"))
        #expect(attributes.contains("Secure") == cookie.hasPrefix("__Host-"))
      }
    }
  }

  @Test("a call without the proof of its session, or not from a page of this server, is refused")
  func proof() async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let w = try await mina.workspace()
      let channel = try await mina.channel("ios", in: w)
      let (browser, other) = (Browser(world), Browser(world))
      try #require(try await browser.signIn(mina.email).status == 200)
      try #require(try await other.signIn(mina.email).status == 200)
      let own = browser.proof
      let changing: [(HTTPMethod, String)] = [
        (.PUT, "v1/users/me"), (.GET, "v1/\(w)/exit"), (.GET, "v1/\(channel)/exit"), (.GET, "v1/\(channel)/chats"),
        (.GET, "v1/users/logout"), (.POST, "v1/\(channel)/chats"), (.POST, "unreads"), (.DELETE, "sessions"),
        (.DELETE, "session"), (.POST, "session"), (.POST, "accounts"), (.POST, "password-resets"),
      ]
      for proof in ["", "0", other.proof, String(own.dropLast())] {
        browser.proof = proof
        for (method, path) in changing {
          #expect(try await browser.call(method, path, .json(["nickname": "x"])).code == "E02", "\(method) \(path)")
        }
        let read = try await browser.call(.GET, "v1/users/me")
        // Pictures are read without a proof. A page whose cookie has another session must not read as that one.
        #expect(proof.isEmpty ? try read.json["nickname"] == "Mina" : read.code == "E02")
        let session = try await world.call(
          .GET, "/web/session", key: nil, headers: [("Cookie", browser.cookieField), ("X-Madang-Proof", proof)])
        #expect(try session.json["proof"]?.string == own)
      }
      browser.proof = own
      let foreign: [[(String, String)]] = [
        [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "http://127.0.0.1:1")],
        [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
      ]
      for headers in foreign {
        for (method, path) in changing + [(.GET, "session"), (.GET, "v1/users/me")] {
          #expect(
            try await browser.call(method, path, headers: headers, .json(["nickname": "x"])).code == "E02",
            "\(headers) \(path)")
        }
      }
      let kind = [("Origin", world.url), ("Sec-Fetch-Site", "same-origin")]
      #expect(try await browser.call(.PUT, "v1/users/me", headers: kind, .json(["nickname": "y"])).status == 200)
    }
  }

  @Test("over TLS a page that came without it is another site, though its host is the same")
  func schemes() async throws {
    var settings = World.settings
    settings.trustedProxies = [try #require(IPNetwork("127.0.0.1"))]
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      let host = world.url.dropFirst("http://".count)
      for (proto, origin, isOwn) in [
        ("https", "https", true), ("https", "http", false), ("https", "HTTP", false), ("http", "http", true),
      ] {
        let answer = try await world.call(
          .GET, "/web/session", key: nil,
          headers: [
            ("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-Proto", proto), ("Origin", "\(origin)://\(host)"),
          ])
        #expect(isOwn ? answer.status == 200 : answer.code == "E02", "\(proto) \(origin)")
      }
    }
  }

  @Test("calls that another site causes count for no limit of the address")
  func counting() async throws {
    try await Browser.run(.sqlite, settings: World.settings(\.callLimits.requests, 20)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let (browser, other) = (Browser(world), Browser(world))
      try #require(try await browser.signIn(mina.email).status == 200)
      for _ in 1...40 {
        #expect(try await other.call(.GET, "session", headers: [("Sec-Fetch-Site", "cross-site")]).code == "E02")
      }
      #expect(try await browser.call(.GET, "v1/users/me").status == 200)
      #expect(try await other.call(.GET, "session").status == 200)
      // Calls without a session, and then tokens of no session, use up limits of their own.
      for _ in 1...40 { _ = try await world.call(.GET, "/web/session", key: nil) }
      #expect(try await world.call(.GET, "/web/session", key: nil).code == "E98")
      #expect(try await browser.call(.GET, "v1/users/me").status == 200)
    }
  }

  @Test("of several cookies of the name, the one of the proof counts, else the one of the shortest path")
  func several() async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let (browser, other) = (Browser(world), Browser(world))
      try #require(try await browser.signIn(mina.email).status == 200)
      try #require(try await other.signIn(joon.email).status == 200)
      let name = try #require(browser.cookies.first { $0.key.contains("madang_web") }?.key)
      for foreign in [try #require(other.session), "p.0", "x"] {
        let tossed = "\(name)=\(foreign); \(name)=\(try #require(browser.session))"
        let session = try await world.call(.GET, "/web/session", key: nil, headers: [("Cookie", tossed)])
        #expect(try session.json["account"]?["nickname"] == "Mina")
        let (first, second) = (browser.proof, other.proof)
        let me = try await world.call(
          .GET, "/web/v1/users/me", key: nil, headers: [("Cookie", tossed), ("X-Madang-Proof", first)])
        #expect(try me.json["nickname"] == "Mina")
        let wrong = try await world.call(
          .GET, "/web/v1/users/me", key: nil, headers: [("Cookie", "\(name)=\(foreign)"), ("X-Madang-Proof", first)])
        #expect(wrong.code == "E02" && second != first)
      }
    }
  }

  @Test("signing in needs a proof of the cookie before it, and the limits of passwords hold")
  func tries() async throws {
    try await Browser.run(.sqlite, settings: World.settings(\.callLimits.signInFailures, 3)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let browser = Browser(world)
      #expect(try await browser.call(.POST, "session", .json(["email": "a", "password": "b"])).code == "E02")
      for _ in 1...2 { #expect(try await browser.signIn(mina.email, password: "Wrong1234!").code == "E03") }
      // One attempt of an app counts as well.
      let body: JSON = ["email": .text(mina.email), "password": "Wrong1234!"]
      #expect(try await world.call(.POST, "users/login", .json(body)).code == "E03")
      let refused = try await browser.signIn(mina.email)
      #expect(refused.code == "E98" && refused.headers.first(name: "Retry-After") != nil)
    }
  }

  @Test("tokens never reach a page: a page cannot make the calls that return them", arguments: [true, false])
  func tokens(_ isSignedIn: Bool) async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let browser = Browser(world)
      if isSignedIn { _ = try await browser.signIn(mina.email) } else { try await browser.open() }
      let login: JSON = ["email": .text(mina.email), "password": .text(World.password), "nickname": "x"]
      for path in ["v1/users/login", "v1/users/join", "v1/users/validation/email", "v1/users/login/apple"] {
        #expect(try await browser.call(.POST, path, .json(login)).code == "E97", "\(path)")
      }
      let refresh = try await browser.call(.GET, "v1/auth/refresh", headers: [("RefreshToken", mina.refreshToken)])
      #expect(refresh.code == "E97")
      #expect(try await browser.call(.GET, "v1/nothing").code == "E97")
      #expect(try await browser.call(.GET, "nothing").code == "E97")
      let answer = try await browser.call(.GET, "session")
      let secret = try #require(browser.session)
      #expect(!String(decoding: answer.body, as: UTF8.self).contains(secret))
      // Neither a key nor a token of an app makes a page's session.
      let outsider = Browser(world)
      let mine = [("SesacKey", DevelopmentKey.october2024), ("Authorization", mina.token)]
      #expect(try await outsider.call(.GET, "v1/users/me", headers: mine).code == "E02")
    }
  }

  @Test(
    "every server of a database knows the session and its proof; the database has no cookie",
    arguments: TestEngine.available)
  func servers(_ engine: TestEngine) async throws {
    try await World.pair(engine, kit: Browser.kit) { first, second in
      let mina = try await first.signUp("Mina")
      let browser = Browser(first)
      _ = try await browser.signIn(mina.email)
      let (cookie, proof) = (browser.cookieField, browser.proof)
      let answer = try await second.call(
        .PUT, "/web/v1/users/me", key: nil, headers: [("Cookie", cookie), ("X-Madang-Proof", proof)],
        .json(["nickname": "y"]))
      #expect(answer.status == 200)
      let secret = try #require(browser.session)
      let rows = try await first.server.madang.database.read {
        try $0.first("SELECT COUNT(*) AS found FROM sessions WHERE refresh_hash = \(secret)") {
          try $0.get("found", as: Int.self)
        }
      }
      #expect(rows == 0)
    }
  }

  @Test(
    "the end of a session ends its calls and its sockets", arguments: TestEngine.available,
    ["signed out", "everywhere", "by an administrator", "disabled"])
  func ends(_ engine: TestEngine, _ way: String) async throws {
    try await Browser.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      let browser = Browser(world)
      _ = try await browser.signIn(mina.email)
      var configuration = SocketIOClient.Configuration()
      configuration.headers = [("Cookie", browser.cookieField), ("Origin", world.url)]
      let client = try SocketIOClient(url: world.url, configuration: configuration)
      let running = Task { await client.run() }
      defer { running.cancel() }
      let room = "/ws-channel-" + (channel.split(separator: "/").last ?? "")
      var updates = await client.updates(in: [room]).makeAsyncIterator()
      guard case .connected? = try await updates.next()?.kind else {
        Issue.record("not admitted")
        return
      }
      switch way {
      case "signed out": try #require(try await browser.call(.DELETE, "session").status == 200)
      case "everywhere": try #require(try await browser.call(.DELETE, "sessions").status == 200)
      case "by an administrator": _ = try await world.server.madang.endSessions(email: mina.email, by: .hana)
      default: _ = try await world.server.madang.disable(email: mina.email, by: .hana)
      }
      guard case .disconnected(.serverNamespaceDisconnect)? = try await updates.next()?.kind else {
        Issue.record("the socket goes on")
        return
      }
      await client.close()
      #expect(try await browser.call(.GET, "v1/users/me").code == "E02")
      let isAppSignedOut = try await mina.code(.GET, "users/me") == "E02"
      #expect(isAppSignedOut == (way != "signed out"))
    }
  }

  @Test("a page of another origin gets no socket with the browser's cookie", arguments: ["websocket", "polling"])
  func sockets(_ transport: String) async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let browser = Browser(world)
      _ = try await browser.signIn(mina.email)
      let port = try #require(Int(world.url.split(separator: ":").last ?? ""))
      for (origin, wanted) in [
        ("https://evil.example", 403), ("http://127.0.0.1:1", 403), ("http://localhost:\(port)", 403), ("null", 403),
        (world.url, transport == "polling" ? 200 : 101),
      ] {
        let headers = [("Origin", origin), ("Cookie", browser.cookieField)]
        let path = "/socket.io/?EIO=4&transport=\(transport)"
        let status =
          transport == "polling"
          ? try await world.call(.GET, path, key: nil, headers: headers).status
          : try await RawWebSocket.handshake(port, path, headers: [("Host", "127.0.0.1:\(port)")] + headers).status
        #expect(status == wanted, "\(origin)")
      }
    }
  }

  @Test("a new sign-in in a browser ends the session that it had")
  func again() async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let browser = Browser(world)
      _ = try await browser.signIn(mina.email)
      let former = [("Cookie", browser.cookieField)]
      #expect(try await browser.signIn(joon.email).json["account"]?["nickname"] == "Joon")
      #expect(try await world.call(.GET, "/web/v1/users/me", key: nil, headers: former).code == "E02")
      #expect(try await browser.call(.GET, "v1/users/me").json["nickname"] == "Joon")
      #expect(try await mina.get("users/me")["nickname"] == "Mina")
    }
  }

  @Test("a session ends when its refresh token does", arguments: TestEngine.available)
  func expiry(_ engine: TestEngine) async throws {
    let clock = Clock()
    try await Browser.run(engine, clock: clock) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let browser = Browser(world)
      _ = try await browser.signIn(mina.email)
      clock.advance(milliseconds: world.server.settings.sessions.accessLifetime + 1000)
      #expect(try await browser.call(.GET, "v1/users/me").status == 200, "there is no access token to refresh")
      clock.advance(milliseconds: world.server.settings.sessions.refreshLifetime)
      #expect(try await browser.call(.GET, "v1/users/me").code == "E02")
      #expect(try await browser.call(.GET, "session").json["account"] == .null)
    }
  }

  @Test("a link to a new password is mailed, with the same answer for an unknown address")
  func passwords() async throws {
    var settings = World.settings
    settings.publicURL = "https://chat.example.com"
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let browser = Browser(world)
      try await browser.open()
      for email in ["unknown@example.com", mina.email] {
        #expect(try await browser.call(.POST, "password-resets", .json(["email": .text(email)])).json == [:])
      }
      #expect(try await browser.call(.POST, "password-resets", .json([:])).code == "E11")
      var mails: JSON = .null
      repeat { mails = try await world.call(.GET, "/_dev/mails", key: nil).json } while mails.list?.isEmpty ?? true
      #expect(mails.list?.count == 1 && mails.list?.first?["to"] == .text(mina.email))
    }
  }
}
