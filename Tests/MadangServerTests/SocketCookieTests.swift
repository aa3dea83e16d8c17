import Foundation
import HTTPTypes
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import SocketIOClient
import SocketIOProtocol
import Storage
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

/// Phones send the cookies of REST answers with their sockets, as socket.io-client-swift does over URLSession's store.
@Suite("Socket access by cookie", .timeLimit(.minutes(5)))
struct SocketCookieTests {
  /// As for real people: one address may stand for one account only.
  static func settings(_ access: SocketAccess = .recent) -> ServerSettings {
    var settings = World.settings(\.sockets.access, access)
    settings.isDevelopment = false
    settings.loopbackIsClient = true
    for edition in EditionName.allCases { settings.keys[edition.developmentKey] = edition }
    return settings
  }

  static func cookie(_ person: TestPerson) async throws -> String {
    try #require(try await person.call(.GET, "users/me").cookie)
  }

  static func admission(_ world: World, _ room: String, cookie: String? = nil) async throws -> String {
    var result = ""
    try await SocketsTests.withSocket(world, headers: cookie.map { [("Cookie", $0)] } ?? []) { (client) async throws in
      result = try await SocketsTests.admission(client, SocketsTests.namespace(room))
    }
    return result
  }

  @Test(
    "a cookie does not work for a later session with the same number",
    arguments: TestEngine.available)
  func numberAgain(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(.cookie)) { (world) async throws in
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let room = try await joon.channel("web", in: try await joon.workspace())
      let cookie = try await Self.cookie(mina)
      #expect(try await Self.admission(world, room, cookie: try await Self.cookie(joon)) == "joined")
      // Mina's session is lost, and the next one, Joon's, has its number.
      _ = try await world.server.madang.database.write { transaction in
        try transaction.execute(
          """
          UPDATE sessions SET created_at = created_at + 1, refresh_hash = 'other',
            user_id = (SELECT id FROM users WHERE nickname = 'Joon')
          WHERE user_id = (SELECT id FROM users WHERE nickname = 'Mina')
          """)
      }
      #expect(try await mina.call(.GET, "users/me").code == "E02")
      #expect(try await Self.admission(world, room, cookie: cookie) == "not allowed")
    }
  }

  @Test("an address seen in the future identifies no account", arguments: TestEngine.available)
  func timeToCome(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let (mina, madang) = (try await world.signUp("Mina"), world.server.madang)
      let user = try #require(
        try await madang.database.read { try $0.first("SELECT id FROM users") { try $0.get("id", as: Int64.self) } })
      try await madang.note(user, at: "there", time: madang.clock.now + 3_600_000)
      #expect(try await madang.onlyAccount(seenAt: "there", within: 60_000) == nil)
      #expect(try await madang.isKnown(try Madang.emailKey(mina.email), at: "there", within: 60_000) == false)
      try await madang.note(user, at: "there", time: madang.clock.now)
      #expect(try await madang.onlyAccount(seenAt: "there", within: 60_000) == user)
      try await madang.note(user, at: "there", time: madang.clock.now + 3_600_000)
      try await madang.forgetAddresses(olderThan: 60_000)
      let left = try await madang.database.read {
        try $0.first("SELECT COUNT(*) AS number FROM recent_addresses WHERE address = 'there'") {
          try $0.get("number", as: Int.self)
        }
      }
      #expect(left == 0)
    }
  }

  @Test(
    "two accounts behind one address are told apart by cookie; without cookies neither joins",
    arguments: TestEngine.available)
  func twoAtHome(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let hers = try await mina.channel("ios", in: try await mina.workspace("Hers"))
      // Alone at the address.
      #expect(
        try await World.eventually { try await Self.admission(world, hers) == "joined" })
      let joon = try await world.signUp("Joon")
      let his = try await joon.channel("web", in: try await joon.workspace("His"))
      let (minas, joons) = (try await Self.cookie(mina), try await Self.cookie(joon))
      #expect(minas != joons)
      #expect(try await Self.admission(world, hers, cookie: minas) == "joined")
      #expect(try await Self.admission(world, his, cookie: joons) == "joined")
      #expect(try await Self.admission(world, hers, cookie: "a=b; \(joons); c=d") == "not allowed")
      #expect(try await Self.admission(world, his, cookie: minas) == "not allowed")
      #expect(
        try await World.eventually { try await Self.admission(world, hers) == "not allowed" })
      #expect(try await Self.admission(world, his) == "not allowed")
      #expect(try await Self.admission(world, his, cookie: joons + "0") == "not allowed")
    }
  }

  @Test(
    "sign-up, sign-in, refresh and every authenticated JSON answer set the cookie; files and unauthenticated answers do not"
  )
  func answers() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let signIn: JSON = ["email": .text(mina.email), "password": .text(World.password)]
      let login = try await world.call(.POST, "users/login", .json(signIn))
      let field = try #require(login.headers.first(name: "Set-Cookie"))
      let form =
        /madang_[0-9a-f]{8}=[0-9]+\.[0-9]+\.[0-9a-f]{64}; Path=\/socket\.io\/; Max-Age=2592000; HttpOnly; SameSite=Strict/
      #expect(field.wholeMatch(of: form) != nil, "\(field)")
      #expect(try await Self.cookie(mina) != login.cookie)
      let token = try #require(try login.json["token"]?["refreshToken"]?.string)
      let refreshed = try await world.call(.GET, "auth/refresh", headers: [(HeaderName.refreshToken, token)])
      #expect(refreshed.cookie == login.cookie)
      let picture = try await mina.success(.PUT, "users/me/image", .multipart([.file("image", Sample.png)]))
      let path = try #require(picture["profileImage"]?.string)
      #expect(try await mina.call(.GET, "/v1\(path)").cookie == nil)
      #expect(try await world.call(.POST, "users/validation/email", .json(["email": "new@example.com"])).cookie == nil)
      #expect(
        try await world.call(.POST, "users/login", .json(["email": "mina@example.com", "password": "no"])).cookie == nil
      )
      let out = try #require(try await mina.call(.GET, "users/logout").headers.first(name: "Set-Cookie"))
      #expect(out.contains("Max-Age=0"))
    }
  }

  @Test("behind a trusted proxy that speaks TLS the cookie is for TLS only")
  func secure() async throws {
    var settings = World.settings
    settings.trustedProxies = [try #require(IPNetwork("127.0.0.1"))]
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let tls = [("X-Forwarded-For", "203.0.113.1"), ("X-Forwarded-Proto", "https")]
      let answer = try await mina.call(.GET, "users/me", headers: tls)
      #expect(answer.headers.first(name: "Set-Cookie")?.hasSuffix("; Secure") == true)
    }
  }

  @Test(
    "a cookie and an address stop working when the session ends",
    arguments: TestEngine.available)
  func endings(_ engine: TestEngine) async throws {
    var settings = Self.settings()
    settings.sockets.reviewInterval = 1
    try await World.run(engine, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let room = try await mina.channel("ios", in: try await mina.workspace())
      func shutOut(_ person: TestPerson, _ end: () async throws -> Void) async throws {
        let cookie = try await Self.cookie(person)
        try await SocketsTests.withSocket(world, headers: [("Cookie", cookie)]) { (client) async throws in
          var updates = await client.updates(in: [SocketsTests.namespace(room)]).makeAsyncIterator()
          guard case .connected = try await updates.next()?.kind else { throw SocketsTests.Refused() }
          try await end()
          guard case .disconnected(.serverNamespaceDisconnect) = try await updates.next()?.kind else {
            throw SocketsTests.Refused()
          }
          #expect(try await SocketsTests.admission(client, SocketsTests.namespace(room)) == "not allowed")
        }
        #expect(try await Self.admission(world, room, cookie: cookie) == "not allowed")
        #expect(try await Self.admission(world, room) == "not allowed")
      }
      try await shutOut(mina) { _ = try await mina.call(.GET, "users/logout") }
      let again = try await world.signIn(mina, through: .october2024)
      try await shutOut(again) {
        _ = try await world.server.madang.resetPassword(email: mina.email, to: World.password, by: .hana)
      }
      let third = try await world.signIn(mina, through: .october2024)
      try await shutOut(third) { _ = try await world.server.madang.disable(email: mina.email, by: .hana) }
    }
  }

  @Test(
    "a connect that waits is refused when its session ends",
    arguments: [true, false])
  func endsWhileHeld(_ hasToken: Bool) async throws {
    var settings = Self.settings()
    settings.sockets.hold = .seconds(20)
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let (mina, bob) = (try await world.signUp("Mina"), try await world.signUp("Bob"))
      let workspace = try await mina.workspace()
      let room = SocketsTests.namespace(try await mina.channel("ios", in: workspace))
      let cookie = try await Self.cookie(bob)
      let auth: JSON? = hasToken ? ["SesacKey": .text(DevelopmentKey.october2024), "token": .text(bob.token)] : nil
      try await SocketsTests.withSocket(world, headers: hasToken ? [] : [("Cookie", cookie)]) { (client) async throws in
        async let outcome = SocketsTests.admission(client, room, auth: auth)
        #expect(try await World.eventually { world.server.held > 0 })
        #expect(try await bob.call(.GET, "users/logout").status == 200)
        #expect(try await mina.call(.POST, "\(workspace)/members", .json(["email": .text(bob.email)])).status == 200)
        #expect(try await outcome == "not allowed")
      }
    }
  }

  @Test("connects with unknown tokens count for their address")
  func unknownTokens() async throws {
    var settings = Self.settings()
    settings.callLimits.connects = 3
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let room = SocketsTests.namespace(try await mina.channel("ios", in: try await mina.workspace()))
      for expected in ["E02", "E02", "E02", "E98"] {
        try await SocketsTests.withSocket(world) { (client) async throws in
          let auth: JSON = ["SesacKey": .text(DevelopmentKey.october2024), "token": "r.junk"]
          #expect(try await SocketsTests.admission(client, room, auth: auth) == expected)
        }
      }
    }
  }

  @Test("an address behind an untrusted proxy identifies no account")
  func untrustedProxy() async throws {
    try await World.run(.sqlite, settings: Self.settings()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let room = try await mina.channel("ios", in: try await mina.workspace())
      #expect(try await World.eventually { try await Self.admission(world, room) == "joined" })
      try await SocketsTests.withSocket(world, headers: [("X-Forwarded-For", "192.0.2.7")]) { (client) async throws in
        #expect(try await SocketsTests.admission(client, SocketsTests.namespace(room)) == "not allowed")
      }
    }
    try await World.run(.sqlite, settings: Self.settings()) { (world) async throws in
      let forwarded = [("Forwarded", "for=192.0.2.7")]
      let signUp: JSON = ["email": "mina@example.com", "password": .text(World.password), "nickname": "Mina"]
      let login = try await world.call(.POST, "users/join", headers: forwarded, .json(signUp))
      let token = try #require(try login.json["token"]?["accessToken"]?.string)
      func make(_ path: String, _ id: String) async throws -> String {
        let answer = try await world.call(.POST, path, token: token, headers: forwarded, .json(["name": "ios"]))
        return "\(path)/\(try #require(try answer.json[id]?.string))"
      }
      let room = try await make("\(try await make("workspaces", "workspace_id"))/channels", "channel_id")
      #expect(try await Self.admission(world, room) == "not allowed")
      #expect(try await Self.admission(world, room, cookie: login.cookie) == "joined")
    }
  }

  @Test("a web page is not admitted by address, Starscream is")
  func pages() async throws {
    try await World.run(.sqlite, settings: Self.settings()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let room = try await mina.channel("ios", in: try await mina.workspace())
      #expect(try await World.eventually { try await Self.admission(world, room) == "joined" })
      let own = world.url.replacing("http://", with: "")
      try await SocketsTests.withSocket(world, headers: [("Origin", "ws://\(own)")]) { (client) async throws in
        #expect(try await SocketsTests.admission(client, SocketsTests.namespace(room)) == "joined")
      }
      // A page is let in by no name that was made to lead here; it names its origin with its POSTs only.
      let polling = "/socket.io/?EIO=4&transport=polling"
      let wish = World.Body.raw("40\(SocketsTests.namespace(room)),", type: "text/plain")
      for (origin, host, outcome) in [
        ("http://evil.example", "evil.example", "44"), ("http://madang.localhost:80", "madang.localhost", "44"),
        ("http://\(own)", own, "40"), ("ws://\(own)", own, "40"),
      ] {
        let opened = try await world.call(.GET, polling, headers: [("Host", host)])
        let sid = try #require(try JSON(Data(opened.body.dropFirst()))["sid"]?.string)
        _ = try await world.call(.POST, "\(polling)&sid=\(sid)", headers: [("Host", host), ("Origin", origin)], wish)
        let answer = try await world.call(.GET, "\(polling)&sid=\(sid)", headers: [("Host", host)])
        #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix(outcome), "\(origin)")
      }
      #expect(try await world.call(.GET, polling, headers: [("Origin", "http://evil.example")]).status == 403)
      #expect(try await world.call(.GET, polling + "&j=0").status == 400)
    }
  }

  @Test(
    "few connects of an address to unknown rooms wait, further ones are refused at once", arguments: [false, true])
  func inventedRooms(_ hasCookie: Bool) async throws {
    var settings = Self.settings()
    settings.sockets.hold = .seconds(3600)
    settings.limits.heldConnects = .init(perAddress: 5, total: 100)
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let cookie = try await Self.cookie(mina)
      try await SocketsTests.withSocket(world, headers: hasCookie ? [("Cookie", cookie)] : []) {
        (client) async throws in
        try await withThrowingTaskGroup(of: String.self) { (group) async throws in
          for _ in 0..<50 {
            group.addTask {
              try await SocketsTests.admission(client, RoomNamespace(.channel, UUID().uuidString.lowercased()).name)
            }
          }
          for _ in 0..<45 { #expect(try await group.next() == "not allowed") }
          // The others wait until the client gives up.
          group.cancelAll()
          for _ in 0..<5 { #expect(try await group.next() == "ended") }
        }
      }
    }
  }

  @Test("metrics count how sockets were admitted")
  func metrics() async throws {
    try await World.run(.sqlite, settings: Self.settings(.cookie)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let room = try await mina.channel("ios", in: try await mina.workspace())
      #expect(try await Self.admission(world, room, cookie: try await Self.cookie(mina)) == "joined")
      #expect(try await Self.admission(world, room) == "not allowed")
      let page = String(decoding: try await world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
      #expect(page.contains(#"madang_socket_admissions_total{by="cookie"} 1"#))
      #expect(page.contains(#"madang_socket_admissions_total{by="refused"} 1"#))
    }
  }
}
