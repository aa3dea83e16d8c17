import Foundation
import Logging
import MadangAPI
import MadangCore
import MadangServer
import SocketIOSupport
import Storage
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

/// A proxy on the server's machine that says nothing, as nginx with `proxy_pass` alone: all its clients come from a loopback address.
@Suite("Calls from loopback addresses", .timeLimit(.minutes(5)))
struct LoopbackTests {
  /// As a server is hosted.
  private static var hosted: ServerSettings {
    var settings = SocketCookieTests.settings()
    settings.loopbackIsClient = nil
    return settings
  }

  @Test(
    "the loopback address admits to a room only if a setting counts it as client; the cookie always does",
    arguments: TestEngine.available)
  func rooms(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.hosted) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let room = try await mina.channel("ios", in: try await mina.workspace())
      let cookie = try await SocketCookieTests.cookie(mina)
      #expect(try await SocketCookieTests.admission(world, room) == "not allowed")
      #expect(try await SocketCookieTests.admission(world, room, cookie: cookie) == "joined")
      // Nothing was noted that would let in later.
      let noted = try await world.server.madang.database.read {
        try $0.first("SELECT COUNT(*) AS number FROM recent_addresses") { try $0.get("number", as: Int.self) }
      }
      #expect(noted == 0)
    }
    try await World.run(engine, settings: SocketCookieTests.settings()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let room = try await mina.channel("ios", in: try await mina.workspace())
      #expect(try await World.eventually { try await SocketCookieTests.admission(world, room) == "joined" })
    }
  }

  @Test("metrics answer a loopback address only if a setting counts it as client", arguments: [false, true])
  func metrics(_ isClient: Bool) async throws {
    var settings = Self.hosted
    if isClient { settings.loopbackIsClient = true }
    for proxies in [[], [try #require(IPNetwork("127.0.0.1"))]] {
      settings.trustedProxies = proxies
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        let status = OperationsTests.status(try await OperationsTests.ask(world, "/metrics"))
        #expect((status == "200") == isClient)
      }
    }
  }

  @Test("each sign of an unnamed proxy is logged once and shown by the doctor")
  func signs() async throws {
    let log = LogRecorder()
    try await World.run(.sqlite, settings: Self.hosted, logger: log.logger) { (world) async throws in
      func warnings(_ sign: LoopbackSign) -> [String] { log.lines.filter { $0.contains("sign=\(sign.words)") } }
      func findings() async throws -> [DoctorFinding] {
        let key = try #require(try await world.server.madang.knownTokenKey(given: ""))
        var settings = Self.hosted
        settings.port = try #require(URL(string: world.url)?.port)
        var options = Doctor.Options()
        options.patience = longWait
        return await Doctor(options, certificateEnd: { try $0.certificateEnd() }, logger: log.logger)
          .loopbackFindings(settings, DoctorProbe(secret: Array(key.utf8)))
      }
      for host in ["localhost", "127.0.0.1:8080", "[::1]:8080"] {
        _ = try await OperationsTests.ask(world, "/livez", host: host)
      }
      let mina = try await world.signUp("Mina")
      _ = try await mina.get("users/me")
      #expect(try await findings() == [])
      for _ in 0..<2 {
        _ = try await OperationsTests.ask(world, "/livez", host: "chat.example.com")
        _ = try await OperationsTests.ask(world, "/livez", [("X-Forwarded-Proto", "https")])
      }
      #expect(warnings(.foreignHost).count == 1 && warnings(.forwardingHeader).count == 1)
      #expect(warnings(.foreignHost)[0].contains("host=chat.example.com"))
      #expect(warnings(.severalAccounts).isEmpty)
      let joon = try await world.signUp("Joon")
      for person in [joon, mina, joon] { _ = try await person.get("users/me") }
      #expect(warnings(.severalAccounts).count == 1)
      let found = try await findings()
      #expect(found.map(\.check) == [.proxyTrust] && found[0].severity == .error)
      for sign in LoopbackSign.allCases { #expect(found.first?.message.contains(sign.words) == true) }
    }
  }

  @Test("a proxy that is named, and development mode, cause no such warning", arguments: [false, true])
  func silence(_ isDevelopment: Bool) async throws {
    let log = LogRecorder()
    var settings = isDevelopment ? World.settings : Self.hosted
    if !isDevelopment { settings.trustedProxies = [try #require(IPNetwork("127.0.0.1"))] }
    try await World.run(.sqlite, settings: settings, logger: log.logger) { (world) async throws in
      for name in ["Mina", "Joon"] { _ = try await world.signUp(name).get("users/me") }
      _ = try await OperationsTests.ask(world, "/livez", host: "chat.example.com", [("X-Forwarded-For", "192.0.2.1")])
      #expect(log.lines.filter { $0.contains(LoopbackSign.problem) } == [])
    }
  }

  @Test("the reason why a server is not ready is logged once")
  func readiness() async throws {
    let log = LogRecorder()
    try await World.run(.sqlite, settings: Self.hosted, logger: log.logger) { (world) async throws in
      try FileManager.default.removeItem(at: world.data.appending(path: "files"))
      try Data().write(to: world.data.appending(path: "files"))
      func reasons() -> [String] { log.lines.filter { $0.hasPrefix("not ready") } }
      func ask() async throws {
        let answer = try await OperationsTests.ask(world, "/readyz")
        #expect(answer.contains(#"{"status":"unavailable"}"#))
      }
      // A check that is late has a reason of its own.
      let isLogged = try await World.eventually {
        try await ask()
        return reasons().contains { !$0.contains("has not answered") }
      }
      #expect(isLogged)
      try await ask()
      let logged = reasons()
      #expect(zip(logged, logged.dropFirst()).allSatisfy { $0 != $1 }, "\(logged)")
    }
  }
}
