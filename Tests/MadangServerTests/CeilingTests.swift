import Foundation
import Logging
import MadangAPI
import MadangCore
import MadangProviders
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

/// What can be made at will (sessions, accounts, addresses' accounts) does not multiply what limits allow.
@Suite("Limits above sessions", .timeLimit(.minutes(5)))
struct CeilingTests {
  private static func settings(_ change: (inout ServerSettings) throws -> Void) throws -> ServerSettings {
    var settings = World.settings
    settings.trustedProxies = [try #require(IPNetwork("127.0.0.1"))]
    try change(&settings)
    return settings
  }

  /// As for real people: development mode has no limit of sign-ups.
  private static func production(_ change: (inout ServerSettings) -> Void) throws -> ServerSettings {
    try settings { settings in
      settings.isDevelopment = false
      for edition in EditionName.allCases { settings.keys[edition.developmentKey] = edition }
      change(&settings)
    }
  }

  private static func me(_ person: TestPerson, from address: String? = nil) async throws -> World.Answer {
    try await person.call(
      .GET, person.edition == .january2024 ? "users/my" : "users/me",
      headers: address.map { [("X-Forwarded-For", $0)] } ?? [])
  }

  // MARK: Calls

  @Test("an account makes at most 1,500 calls in ten seconds and an address 5,000")
  func defaults() {
    let limits = ServerSettings().callLimits
    #expect(limits.accountRequests == 1500 && limits.addressRequests == 5000)
  }

  @Test(
    "sessions of one account share its limit in both editions; other accounts do not",
    arguments: TestEngine.available)
  func account(_ engine: TestEngine) async throws {
    let settings = try Self.settings {
      $0.callLimits.requests = 4
      $0.callLimits.accountRequests = 6
    }
    try await World.run(engine, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let others = [
        try await world.signIn(mina, through: .january2024), try await world.signIn(mina, through: .october2024),
      ]
      for _ in 0..<3 { #expect(try await Self.me(mina).status == 200) }
      for _ in 0..<3 { #expect(try await Self.me(others[0]).status == 200) }
      let refused = try await Self.me(others[1])
      #expect(refused.code == "E98")
      #expect((1...10).contains(Int(refused.headers["retry-after"].first ?? "") ?? 0))
      world.clock.advance(milliseconds: 10_001)
      let joon = try await world.signUp("Joon")
      // A session that loops beyond its own limit does not use up the account's.
      for _ in 0..<4 { #expect(try await Self.me(mina).status == 200) }
      for _ in 0..<20 { #expect(try await Self.me(mina).code == "E98") }
      for _ in 0..<2 { #expect(try await Self.me(others[0]).status == 200) }
      #expect(try await Self.me(others[0]).code == "E98")
      #expect(try await Self.me(joon).status == 200)
    }
  }

  @Test(
    "an address has a limit over all its sessions; other addresses do not share it", arguments: TestEngine.available)
  func address(_ engine: TestEngine) async throws {
    let settings = try Self.settings { $0.callLimits.addressRequests = 10 }
    try await World.run(engine, settings: settings) { (world) async throws in
      let people = [try await world.signUp("Mina"), try await world.signUp("Joon"), try await world.signUp("Sora")]
      for person in people.prefix(2) {
        for _ in 0..<5 { #expect(try await Self.me(person, from: "198.51.100.1").status == 200) }
      }
      #expect(try await Self.me(people[2], from: "198.51.100.1").code == "E98")
      #expect(try await Self.me(people[2], from: "198.51.100.2").status == 200)
      world.clock.advance(milliseconds: 10_001)
      #expect(try await Self.me(people[2], from: "198.51.100.1").status == 200)
    }
  }

  @Test("connects of sockets count for the limits of their account and address, like calls")
  func connects() throws {
    var settings = CallLimitSettings()
    (settings.connects, settings.accountRequests, settings.addressRequests) = (3, 5, 8)
    let limits = CallLimits(settings, clock: Clock({ 0 }, steady: { 0 }))
    let (here, there) = (KeyHash("here"), KeyHash("there"))
    for session: Int64 in 1...3 { limits.note(session, of: 7) }
    for _ in 0..<3 { try limits.countConnect(of: 1, from: here) }
    #expect(throws: Refusal.self) { try limits.countConnect(of: 1, from: there) }
    for _ in 0..<2 { try limits.countCall(of: 2, or: .address(there), from: there) }
    #expect(throws: Refusal.self) { try limits.countConnect(of: 3, from: there) }
    for session: Int64 in 11...15 { try limits.countConnect(of: session, from: here) }
    #expect(throws: Refusal.self) { try limits.countCall(of: 16, or: .address(here), from: here) }
  }

  @Test("without a limit of calls the limits of account and address are off too")
  func off() throws {
    var settings = CallLimitSettings()
    (settings.requests, settings.accountRequests, settings.addressRequests, settings.signUps) = (0, 1, 1, 1)
    let limits = CallLimits(settings, clock: Clock({ 0 }, steady: { 0 }))
    let here = KeyHash("here")
    limits.note(1, of: 7)
    for _ in 0..<5 {
      try limits.countCall(of: 1, or: .address(here), from: here)
      try limits.takeSignUp(from: here)
    }
  }

  // MARK: Sessions

  @Test(
    "beyond the sessions that an account may have, the one not refreshed for longest ends, with its sockets",
    arguments: TestEngine.available, EditionName.allCases)
  func sessions(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine, settings: World.settings(\.sessions.perAccount, 3)) { (world) async throws in
      let first = try await world.signUp("Mina", through: edition)
      try await PushTests.register(first, "old-phone")
      let channel = try await first.channel("ios", in: try await first.workspace())
      var sessions = [first]
      for _ in 0..<2 {
        world.clock.advance(milliseconds: 1000)
        sessions.append(try await world.signIn(first, through: edition))
      }
      // The first one is refreshed: it is in use.
      let refreshed = try await world.call(
        .GET, "auth/refresh", key: edition.developmentKey, headers: [(HeaderName.refreshToken, first.refreshToken)])
      #expect(refreshed.status == 200)
      let room = try #require(
        edition == .january2024
          ? try await first.get(channel)["channel_id"]?.id : channel.split(separator: "/").last.map(String.init))
      try await SocketsTests.withSocket(world) { [second = sessions[1]] (client) async throws in
        var updates = try await SocketEndingsTests.join(client, "channels/\(room)", as: second)
        world.clock.advance(milliseconds: 1000)
        let newest = try await world.signIn(first, through: edition)
        #expect(try await Self.me(newest).status == 200)
        #expect(try await SocketEndingsTests.next(&updates) == "41")
      }
      #expect(try await Self.me(sessions[1]).code == "E02")
      let gone = try await world.call(
        .GET, "auth/refresh", key: edition.developmentKey,
        headers: [(HeaderName.refreshToken, sessions[1].refreshToken)])
      #expect(gone.code == "E02")
      for index in [0, 2] { #expect(try await Self.me(sessions[index]).status == 200, "session \(index)") }
      let entries = try await AuditTests.entries(world, .sessionEnded)
      #expect(entries.map(\.actor) == ["server"] && entries.first?.detail["because"] == "sessions.account")
      // Another account's sessions are its own.
      let joon = try await world.signUp("Joon", through: edition)
      #expect(try await Self.me(joon).status == 200)
      #expect(try await Self.me(sessions[0]).status == 200)
    }
  }

  @Test(
    "surplus sessions of an earlier version end some at a time, never the new one", arguments: TestEngine.available)
  func formerSessions(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.sessions.perAccount, 0)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let madang = world.server.madang
      for _ in 0..<6 { _ = try await world.signIn(mina, through: .october2024) }
      var settings = madang.settings
      settings.sessions.perAccount = 2
      try await madang.change(to: settings, [:])
      let last = try await world.signIn(mina, through: .october2024)
      #expect(try await madang.sessions(email: mina.email, after: 0, limit: 100).count == 2)
      #expect(try await Self.me(last).status == 200)
    }
  }

  // MARK: Accounts

  @Test(
    "an address beyond its sign-ups of an hour gets E98; refused sign-ups do not count, and sign-in still works",
    arguments: TestEngine.available, EditionName.allCases)
  func signUps(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine, settings: try Self.production { $0.callLimits.signUps = 3 }) { (world) async throws in
      func signUp(_ name: String, from address: String) async throws -> World.Answer {
        try await world.call(
          .POST, "users/join", key: edition.developmentKey, headers: [("X-Forwarded-For", address)],
          .json(["email": .text("\(name)@example.com"), "password": .text(World.password), "nickname": .text(name)]))
      }
      for name in ["a", "b"] { #expect(try await signUp(name, from: "198.51.100.1").status == 200) }
      for _ in 0..<5 { #expect(try await signUp("a", from: "198.51.100.1").code == "E12") }
      #expect(try await signUp("c", from: "198.51.100.1").status == 200)
      let refused = try await signUp("d", from: "198.51.100.1")
      #expect(refused.code == "E98" && Int(refused.headers["retry-after"].first ?? "") ?? 0 > 3000)
      #expect(try await signUp("d", from: "198.51.100.2").status == 200)
      let signIn = World.Body.json(["email": "a@example.com", "password": .text(World.password)])
      let signedIn = try await world.call(
        .POST, "users/login", key: edition.developmentKey, headers: [("X-Forwarded-For", "198.51.100.1")], signIn)
      #expect(signedIn.status == 200)
      world.clock.advance(milliseconds: 3_600_001)
      #expect(try await signUp("e", from: "198.51.100.1").status == 200)
    }
  }

  @Test(
    "the first sign-in with Kakao counts as a sign-up of its address, later ones do not",
    arguments: TestEngine.available)
  func socialSignUps(_ engine: TestEngine) async throws {
    try await FakeProvider.run { call in
      let id = Int(call.authorization?.split(separator: " ").last ?? "") ?? 0
      if call.path == "/v1/user/access_token_info" { return (200, #"{"id":\#(id),"expires_in":100,"app_id":7}"#) }
      return (
        200,
        #"""
        {"id":\#(id),"kakao_account":{"email":"k\#(id)@example.com","is_email_valid":true,"is_email_verified":true,
         "profile":{"nickname":"K\#(id)"}}}
        """#
      )
    } _: { provider in
      let settings = try Self.production { settings in
        settings.callLimits.signUps = 2
        settings.providers.kakao.url = provider.url
        settings.providers.kakao.app = 7
        settings.providers.timeout = .seconds(60)
      }
      try await World.run(engine, settings: settings) { (world) async throws in
        func signIn(_ id: Int, from address: String) async throws -> World.Answer {
          try await world.call(
            .POST, "users/login/kakao", headers: [("X-Forwarded-For", address)], .json(["oauthToken": .text("\(id)")]))
        }
        for id in [1, 1, 1, 2] { #expect(try await signIn(id, from: "198.51.100.1").status == 200) }
        #expect(try await signIn(3, from: "198.51.100.1").code == "E98")
        for id in [1, 2] { #expect(try await signIn(id, from: "198.51.100.1").status == 200) }
        #expect(try await signIn(3, from: "198.51.100.2").status == 200)
        #expect(try await signIn(3, from: "198.51.100.1").status == 200)
      }
    }
  }

  // MARK: Spraying

  @Test(
    "one password tried with a hundred accounts slows the address down, except for accounts known there",
    arguments: TestEngine.available)
  func spraying(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: try Self.settings { _ in }) { (world) async throws in
      let attacker = "198.51.100.1"
      func signIn(_ email: String, _ password: String, from address: String) async throws -> String? {
        try await world.call(
          .POST, "users/login", headers: [("X-Forwarded-For", address)],
          .json(["email": .text(email), "password": .text(password)])
        ).code
      }
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      #expect(try await signIn(joon.email, World.password, from: attacker) == nil)
      for index in 0..<100 {
        #expect(try await signIn("person\(index)@example.com", "Summer2026!", from: attacker) == "E03")
      }
      #expect(try await signIn("person100@example.com", "Summer2026!", from: attacker) == "E98")
      #expect(try await signIn(mina.email, World.password, from: attacker) == "E98")
      #expect(try await signIn(mina.email, World.password, from: "198.51.100.2") == nil)
      #expect(try await signIn(joon.email, World.password, from: attacker) == nil)
      // One try every three seconds.
      world.clock.advance(milliseconds: 3000)
      #expect(try await signIn(mina.email, World.password, from: attacker) == nil)
    }
  }

  // MARK: The log

  @Test("log lines about failed requests are limited, and the next line counts the omitted ones")
  func failureLines() {
    let (log, clock) = (LogRecorder(), Clock({ 0 }, steady: { 0 }))
    let failures = FailureLog(log.logger, linesPerMinute: 3, clock: clock)
    for _ in 0..<10 { failures.write("request failed", CancellationError()) }
    #expect(log.lines.count == 3)
    clock.advance(milliseconds: 60_000)
    failures.write("a page failed", CancellationError(), ["page": "Password"])
    #expect(log.lines.count == 4 && log.lines.last?.contains("left-out=7") == true)
    #expect(log.lines.last?.hasPrefix("a page failed") == true && log.lines.last?.contains("page=Password") == true)
  }
}
