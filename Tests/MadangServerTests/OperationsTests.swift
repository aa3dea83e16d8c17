import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Support
import Synchronization
import Testing

@testable import MadangOperations
@testable import MadangServer

@Suite("Endpoints for operators", .timeLimit(.minutes(5)))
struct OperationsTests {
  /// Asks as curl, a proxy or a page would.
  static func ask(
    _ world: World, _ path: String, method: String = "GET", host: String? = nil, _ headers: [(String, String)] = []
  ) async throws -> String {
    let host = host ?? world.url.replacing("http://", with: "")
    let fields = headers.map { "\($0): \($1)\r\n" }.joined()
    return try await world.exchange(
      Array("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\(fields)\r\n".utf8))
  }

  static func status(_ answer: String) -> String { String(answer.dropFirst(9).prefix(3)) }

  /// Whether the server is ready as soon as its disk answers in time.
  static func isReady(_ world: World) async throws -> Bool {
    try await World.eventually { try await ask(world, "/readyz").contains(#"{"status":"ok"}"#) }
  }

  @Test("health answers GET, HEAD and OPTIONS, also in HTTP/1.0 without a host")
  func health() async throws {
    try await World.run(.sqlite) { (world) async throws in
      for path in ["/livez", "/readyz"] {
        for method in ["GET", "HEAD", "OPTIONS"] {
          // While the disk is slow, the server is not ready.
          let isGood = try await World.eventually {
            Self.status(try await Self.ask(world, path, method: method)) == "200"
          }
          #expect(isGood, "\(method) \(path)")
          let isGoodInOld = try await World.eventually {
            Self.status(try await world.exchange(Array("\(method) \(path) HTTP/1.0\r\n\r\n".utf8))) == "200"
          }
          #expect(isGoodInOld, "\(method) \(path) HTTP/1.0")
        }
        for method in ["POST", "PUT", "DELETE"] {
          #expect(Self.status(try await Self.ask(world, path, method: method)) == "400", "\(method) \(path)")
        }
      }
      #expect(Self.status(try await Self.ask(world, "/metrics", method: "OPTIONS")) == "400")
    }
  }

  @Test(
    "metrics and development calls answer programs of this machine only: not a proxy, not a page",
    arguments: ["/metrics", "/_dev/pushes"])
  func locals(_ path: String) async throws {
    try await World.run(.sqlite) { (world) async throws in
      for host in [nil, "localhost", "localhost:8080", "127.0.0.1", "[::1]:80", "madang.localhost"] {
        #expect(Self.status(try await Self.ask(world, path, host: host)) == "200", "\(host ?? "own")")
      }
      for host in ["evil.example", "10.0.0.1:8080", "localhost.evil.example", "127.0.0.1.evil.example"] {
        #expect(Self.status(try await Self.ask(world, path, host: host)) != "200", "\(host)")
      }
      let headers = [
        ("X-Forwarded-For", "127.0.0.1"), ("Forwarded", "for=127.0.0.1"), ("X-Forwarded-Proto", "http"),
        ("X-Real-IP", "127.0.0.1"), ("Origin", "http://evil.example"), ("Origin", "null"),
      ]
      for header in headers { #expect(Self.status(try await Self.ask(world, path, [header])) != "200", "\(header)") }
      #expect(Self.status(try await Self.ask(world, path, [("Origin", "http://localhost:3000")])) == "200")
    }
  }

  @Test("development calls from elsewhere show the token, in the path or the header; without one they are refused")
  func token() async throws {
    let token = "a-token-of-this-test"
    let elsewhere = ("X-Forwarded-For", "192.0.2.7")
    try await World.run(.sqlite, settings: World.settings(\.developmentToken, token)) { (world) async throws in
      func status(_ path: String, _ headers: (String, String)...) async throws -> String {
        Self.status(try await Self.ask(world, path, host: "192.0.2.1:8080", [elsewhere] + headers))
      }
      #expect(try await status("/_dev/\(token)/pushes") == "200")
      #expect(try await status("/_dev/pushes", ("Authorization", "Bearer \(token)")) == "200")
      #expect(try await status("/_dev/pushes") == "403")
      #expect(try await status("/_dev/\(token)x/pushes") == "403")
      #expect(try await status("/_dev/pushes/\(token)") == "403")
      for header in [token, "Bearer ", "Bearer \(token)x", "Basic \(token)"] {
        #expect(try await status("/_dev/pushes", ("Authorization", header)) == "403", "\(header)")
      }
      // Programs of this machine need none.
      #expect(Self.status(try await Self.ask(world, "/_dev/pushes")) == "200")
      // It is for development calls only.
      #expect(try await status("/metrics", ("Authorization", "Bearer \(token)")) != "200")
    }
    try await World.run(.sqlite) { (world) async throws in
      for path in ["/_dev//pushes", "/_dev/pushes"] {
        let answer = try await Self.ask(world, path, [elsewhere, ("Authorization", "Bearer ")])
        #expect(Self.status(answer) != "200", "without a token nothing is one")
      }
    }
  }

  @Test("development mode listens to other machines with a token only, and a short one is refused")
  func exposedDevelopment() {
    var settings = World.settings
    settings.host = "0.0.0.0"
    #expect(settings.problems().contains { $0.contains("--lan") })
    settings.developmentToken = "short"
    #expect(settings.problems().contains { $0.hasPrefix("dev.token") })
    settings.developmentToken = "with a blank, which no path has"
    #expect(settings.problems().contains { $0.hasPrefix("dev.token") })
    settings.developmentToken = "a-token-of-this-test"
    #expect(settings.problems() == [])
  }

  @Test("readiness gives its reasons to operators only, and checks the disk at most once a second")
  func readiness() async throws {
    try await World.run(.sqlite) { (world) async throws in
      #expect(try await Self.isReady(world))
    }
    let checks = Atomic(0)
    let probe = ReadinessProbe(
      every: .seconds(3600), within: longWait,
      check: {
        checks.add(1, ordering: .relaxed)
        throw SetupError("the disk is full")
      })
    await withTaskGroup { group in
      for _ in 0..<100 { group.addTask { #expect(await probe.problem() == "the disk is full") } }
    }
    #expect(checks.load(ordering: .relaxed) == 1)
  }

  @Test("readiness answers in time while a check hangs, and does not start it again meanwhile")
  func hangingReadiness() async throws {
    let checks = Atomic(0)
    let (answers, end) = AsyncStream.makeStream(of: Void.self)
    let probe = ReadinessProbe(
      every: .zero, within: .milliseconds(50),
      check: {
        checks.add(1, ordering: .relaxed)
        for await _ in answers {}
      })
    for _ in 0..<3 { #expect(await probe.problem()?.contains("has not answered") == true) }
    let isChecked = try await World.eventually { checks.load(ordering: .relaxed) == 1 }
    #expect(isChecked)
    end.finish()
    #expect(try await World.eventually { await probe.problem() == nil })
  }

  @Test("descriptions of the server and its parts hold no secret")
  func descriptions() async throws {
    var settings = World.settings
    settings.tokenKey = "secret-0123456789-0123456789-0123456789"
    settings.operations = ("127.0.0.1", 0)
    try await World.run(.sqlite, settings: settings) { [settings] (world) async throws in
      struct Holder {
        let server: MadangServer
        let settings: ServerSettings
      }
      let holder = Holder(server: world.server, settings: settings)
      for text in ["\(world.server)", String(reflecting: world.server), "\(holder)", String(reflecting: holder)] {
        #expect(text.contains("MadangServer") && text.count < 300)
        #expect(!text.contains("secret-0123456789"))
      }
    }
  }

  @Test("with a listener for operators, the main one no longer serves them")
  func ownListener() async throws {
    var settings = World.settings
    settings.operations = ("127.0.0.1", 0)
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let own = world.at(port: try #require(try await world.server.operationsPort))
      #expect(Self.status(try await Self.ask(world, "/metrics")) != "200")
      #expect(Self.status(try await Self.ask(world, "/_dev/pushes")) != "200")
      #expect(try await Self.isReady(world))
      #expect(Self.status(try await Self.ask(own, "/metrics", host: "metrics.internal:9090")) == "200")
      #expect(Self.status(try await Self.ask(own, "/_dev/pushes")) == "200")
      #expect(Self.status(try await Self.ask(own, "/v1/workspaces")) == "404")
    }
  }

  @Test("if the operators' listener fails, the start names it")
  func taken() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let port = try #require(URL(string: world.url)?.port)
      var settings = World.settings
      settings.dataDirectory = world.data.appending(path: "other")
      func refusal(_ settings: ServerSettings) async -> String {
        let error = await #expect(throws: SetupError.self) { try await World.run(settings) { _ in } }
        return error?.description ?? ""
      }
      settings.operations = ("127.0.0.1", port)
      var words = await refusal(settings)
      #expect(words.hasPrefix("port \(port) of 127.0.0.1 is in use") && words.contains("MADANG_OPERATIONS"))
      (settings.port, settings.operations) = (port, nil)
      words = await refusal(settings)
      #expect(words.hasPrefix("port \(port) of 127.0.0.1 is in use") && words.contains("--port"))
    }
  }
}
