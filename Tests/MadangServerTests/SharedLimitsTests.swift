import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

/// What one server of a database learns at once of what clients did at another.
@Suite("Limits and addresses shared by servers", .timeLimit(.minutes(5)))
struct SharedLimitsTests {
  private static let engines = TestEngine.available.filter { $0 == .postgres }

  private static func code(_ world: World, _ email: String, _ password: String = "wrong", from address: String)
    async throws -> String?
  {
    try await world.call(
      .POST, "users/login", headers: [("X-Forwarded-For", address)],
      .json(["email": .text(email), "password": .text(password)])
    ).code
  }

  private static func settings() throws -> ServerSettings {
    World.settings(\.trustedProxies, [try #require(IPNetwork("127.0.0.1"))])
  }

  /// Waits until one server receives notices of another: a server that has just started may miss some.
  private static func hearing(_ second: World, _ first: World) async throws {
    var attempt = 0
    let isHeard = try await World.eventually {
      attempt += 1
      let probe = try await first.signUp("Probe\(attempt)")
      for _ in 0..<10 { _ = try await code(first, probe.email, from: "198.51.100.200") }
      return try await World.eventually(within: .seconds(2)) {
        try await code(second, probe.email, World.password, from: "198.51.100.200") == "E98"
      }
    }
    try #require(isHeard)
  }

  @Test("ten wrong passwords at one server count at another, for the same account and address", arguments: engines)
  func failures(_ engine: TestEngine) async throws {
    try await World.pair(engine, settings: try Self.settings()) { (first, second) async throws in
      try await Self.hearing(second, first)
      let (mina, joon) = (try await first.signUp("Mina"), try await first.signUp("Joon"))
      for _ in 0..<10 { #expect(try await Self.code(first, mina.email, from: "198.51.100.1") == "E03") }
      // Right passwords do not count, so a refusal comes from the other server's notice.
      #expect(
        try await World.eventually {
          try await Self.code(second, mina.email, World.password, from: "198.51.100.1") == "E98"
        })
      #expect(try await Self.code(second, mina.email, World.password, from: "198.51.100.2") == nil)
      let other = try await Self.code(second, joon.email, World.password, from: "198.51.100.1")
      #expect(other == nil)
      second.clock.advance(milliseconds: 300_001)
      #expect(try await Self.code(second, mina.email, World.password, from: "198.51.100.1") == nil)
    }
  }

  @Test(
    "a hundred wrong passwords from many addresses slow unknown addresses down at every server",
    arguments: engines)
  func anywhere(_ engine: TestEngine) async throws {
    try await World.pair(engine, settings: try Self.settings()) { (first, second) async throws in
      try await Self.hearing(second, first)
      let mina = try await first.signUp("Mina")
      let home = "203.0.113.1"
      let login = try await first.call(
        .POST, "users/login", headers: [("X-Forwarded-For", home)],
        .json(["email": .text(mina.email), "password": .text(World.password)]))
      let token = try #require(try login.json["token"]?["accessToken"]?.string)
      // With the last session the database forgets the address.
      for token in [token, mina.token] {
        #expect(try await first.call(.GET, "users/logout", token: token).status == 200)
      }
      for index in 0..<100 { #expect(try await Self.code(first, mina.email, from: "198.51.100.\(index)") == "E03") }
      var number = 0
      #expect(
        try await World.eventually {
          number += 1
          return try await Self.code(second, mina.email, World.password, from: "192.0.2.\(number)") == "E98"
        })
      for session in try await first.server.madang.sessions(email: mina.email, after: 0, limit: 300) {
        try await first.server.madang.endSession(session.id, by: .hana)
      }
      #expect(try await Self.code(second, mina.email, World.password, from: home) == nil)
    }
  }

  @Test("wrong passwords let through at many servers at once make the window longer")
  func excess() async throws {
    let clock = Clock({ 0 }, steady: { 0 })
    let tries = SignInTries(CallLimitSettings(), clock: clock)
    let key = SignInKey(account: tries.hash("mina"), address: tries.hash("here"))
    tries.apply(CommitNotices.Notice(failures: [key: 24]))
    func isKnown() -> Bool { true }
    var admitted = 0
    for _ in 0..<40 {
      do {
        try await tries.run(account: "mina", address: "here", isKnown: isKnown) {
          throw Failure(.signInFailed, "wrong")
        }
      } catch is Failure { admitted += 1 } catch is Refusal {}
      clock.advance(milliseconds: 30_000)
    }
    // Of 20 minutes the first 15 are taken by the 24.
    #expect(admitted == 10)
    let other = SignInKey(account: tries.hash("mina"), address: tries.hash("there"))
    tries.apply(CommitNotices.Notice(failures: [other: 1000]))
    clock.advance(milliseconds: 16 * 300_000)
    try await tries.run(account: "mina", address: "there", isKnown: isKnown) {}
  }

  @Test("a socket cookie of one server works at another", arguments: engines)
  func cookie(_ engine: TestEngine) async throws {
    try await World.pair(engine, settings: SocketCookieTests.settings(.cookie)) { (first, second) async throws in
      let mina = try await first.signUp("Mina")
      let room = try await mina.channel("ios", in: try await mina.workspace())
      let cookie = try await SocketCookieTests.cookie(mina)
      #expect(try await SocketCookieTests.admission(second, room, cookie: cookie) == "joined")
    }
  }

  @Test(
    "a connect that waits at one server is accepted when another sees its account at the address",
    arguments: engines)
  func address(_ engine: TestEngine) async throws {
    var settings = SocketCookieTests.settings()
    settings.trustedProxies = [try #require(IPNetwork("127.0.0.1"))]
    // Longer than this test may take, so that no server reads again by itself.
    settings.sockets.hold = .seconds(600)
    try await World.pair(engine, settings: settings) { (first, second) async throws in
      try await Self.hearing(second, first)
      let mina = try await first.signUp("Mina")
      let room = try await mina.channel("ios", in: try await mina.workspace())
      let forwarded = [("X-Forwarded-For", "203.0.113.9")]
      try await SocketsTests.withSocket(second, headers: forwarded) { (client) async throws in
        async let admission = SocketsTests.admission(client, SocketsTests.namespace(room))
        #expect(try await World.eventually { second.server.held == 1 })
        #expect(try await first.call(.GET, "users/me", token: mina.token, headers: forwarded).status == 200)
        #expect(try await admission == "joined")
      }
    }
  }
}
