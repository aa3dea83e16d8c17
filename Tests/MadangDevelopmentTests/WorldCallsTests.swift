import Foundation
import MadangDevelopment
import MadangServer
import NIOHTTP1
import Testing

@Suite("Calls about worlds", .timeLimit(.minutes(1)))
struct WorldCallsTests {
  /// A development server with an empty directory.
  private static func run(_ body: (Caller) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-dev-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = ServerSettings()
    (settings.port, settings.isDevelopment, settings.dataDirectory) = (0, true, folder)
    let development = try await DevelopmentServer(settings, logger: Scene.logger)
    let running = Task { try await development.server.run() }
    let result: Result<Void, any Error>
    do {
      let port = try await development.server.port
      try await body(Caller(url: "http://127.0.0.1:\(port)"))
      result = .success(())
    } catch {
      result = .failure(error)
    }
    running.cancel()
    _ = await running.result
    await development.end()
    try result.get()
  }

  @Test("a world is made, found, reset, kept and brought back, and removed")
  func life() async throws {
    try await Self.run { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard","number":7,"name":"mine"}"#)
      #expect(made.status == 200, "\(made)")
      let url = try #require(try made.object["url"] as? String)
      #expect(try made.object["seed"] as? String == "courtyard" && made.object["number"] as? Int == 7)
      #expect(try made.object["now"] as? String == "2026-01-05T09:00:00.000Z")
      #expect(try await dev.call(.GET, "/_dev/worlds").list.count == 1)
      let world = Caller(url: url)
      #expect(try await world.call(.GET, "/_dev/world").body == made.body)
      let mina = try await world.signedIn("mina@example.com")
      #expect(try await world.call(.POST, "/_dev/snapshots", #"{"name":"signed in"}"#).body == #"["signed in"]"#)
      #expect(try await mina.call(.POST, "workspaces", #"{"name":"More","description":""}"#).status == 200)
      #expect(try await mina.call(.GET, "workspaces").list.count == 3)
      #expect(try await dev.call(.POST, "/_dev/worlds/w1/snapshots/signed%20in/restore").status == 200)
      #expect(try await mina.call(.GET, "workspaces").list.count == 2)
      #expect(try await world.call(.POST, "/_dev/reset", #"{"sockets":"keep"}"#).status == 200)
      #expect(try await mina.call(.GET, "workspaces").status == 400)
      #expect(try await dev.call(.DELETE, "/_dev/worlds/w1").body == "{}")
      #expect(try await dev.call(.GET, "/_dev/worlds").body == "[]")
    }
  }

  @Test("the clock is read and changed, at a server and at a world")
  func clock() async throws {
    try await Self.run { dev in
      #expect(try await dev.call(.GET, "/_dev/clock").object["rate"] as? Double == 1)
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"number":1}"#)
      let path = "/_dev/worlds/w1/clock"
      #expect(try await dev.call(.GET, path).body == #"{"now":"2026-01-05T09:00:00.000Z","rate":0}"#)
      #expect(
        try await dev.call(.POST, path, #"{"advance":90.5}"#).body == #"{"now":"2026-01-05T09:01:30.500Z","rate":0}"#)
      #expect(
        try await dev.call(.POST, path, #"{"set":"2025-01-01T00:00:00Z"}"#).body
          == #"{"now":"2025-01-01T00:00:00.000Z","rate":0}"#)
      #expect(try await dev.call(.POST, path, #"{"rate":60}"#).object["rate"] as? Double == 60)
      #expect(try await dev.call(.POST, path, #"{"freeze":true}"#).object["rate"] as? Double == 0)
      #expect(try await dev.call(.POST, path, #"{"resume":true}"#).object["rate"] as? Double == 1)
    }
  }

  @Test(
    "what cannot be done is said with its cause and its cure",
    arguments: [
      ("/_dev/worlds", #"{"seed":"nowhere"}"#, "there are empty, courtyard, crowded, edge"),
      ("/_dev/worlds", #"{"seed":"people:\n  - {nick: x}"}"#, "seed: line 2: a person has no field 'nick'"),
      ("/_dev/worlds", #"{"seed":{"people":[{"email":"x"}]}}"#, "email: not an e-mail address"),
      ("/_dev/worlds", #"{"port":70000}"#, "port: 0 to 65535"),
      ("/_dev/worlds", #"{"number":-1}"#, "the body does not fit this call"),
      ("/_dev/worlds", "[", "the body does not fit this call"),
      ("/_dev/worlds/w9/reset", "{}", "there is no world 'w9'"),
      ("/_dev/clock", #"{"advance":-1}"#, "advance: seconds"),
      ("/_dev/clock", #"{"set":"tomorrow"}"#, "set: a date like"),
      ("/_dev/clock", #"{"rate":1e9}"#, "rate: how many times"),
    ])
  func mistakes(_ path: String, _ body: String, _ words: String) async throws {
    try await Self.run { dev in
      let answer = try await dev.call(.POST, path, body)
      #expect(answer.status == 400)
      #expect(try (answer.object["error"] as? String)?.contains(words) ?? false, "\(answer.body)")
    }
  }
}
