import Foundation
import MadangDevelopment
import NIOHTTP1
import ServiceLifecycle
import Support
import Testing

@Suite("What is under way when a world ends or its caller leaves", .timeLimit(.minutes(1)))
struct WorldEndTests {
  static let waiting = ["journal?kind=push&wait=60s", "scripts/s?wait=60s"]
  private static let script = "{name: s, start: true, do: [{wait: 1h}]}"

  @Test(
    "who waits for something in a world that is removed is told so, by the server's port and by its own",
    arguments: waiting, [false, true])
  func waits(_ call: String, atOwnPort: Bool) async throws {
    try await WorldCallsTests.run { dev, development, _ in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard","number":1}"#)
      let world = atOwnPort ? Caller(url: try #require(made.object["url"] as? String)) : dev
      let path = atOwnPort ? "/_dev/" : "/_dev/worlds/w1/"
      #expect(try await world.call(.POST, path + "scripts", Self.script).status == 200)
      let waiting = Task { try await world.call(.GET, path + call) }
      await until { development.callsUnderWay(of: "w1") == 1 }
      #expect(try await dev.call(.DELETE, "/_dev/worlds/w1").status == 200)
      let answer = try await waiting.value
      #expect(
        answer.status == 400 && answer.body == #"{"error":"the world 'w1' has been removed"}"#, "\(answer)")
    }
  }

  @Test(
    "a server that is told to stop tells so who waits for something in it, or in a world, and waits for nobody",
    arguments: waiting, ["/_dev/", "/_dev/worlds/w1/"])
  func stops(_ call: String, _ path: String) async throws {
    try await WorldCallsTests.run { dev, development, group in
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard","number":1}"#)
      #expect(try await dev.call(.POST, path + "scripts", Self.script).status == 200)
      let waiting = Task { try await dev.call(.GET, path + call) }
      await until { development.callsUnderWay(of: path == "/_dev/" ? nil : "w1") == 1 }
      await group.triggerGracefulShutdown()
      let answer = try await waiting.value
      #expect(
        answer.status == 400
          && answer.body == #"{"error":"the server is stopping; ask again when it has been started anew"}"#,
        "\(answer)")
    }
  }

  @Test("what a world has touched of the contract counts while it is being removed, and afterwards")
  func coverage() async throws {
    try await WorldCallsTests.run { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard"}"#)
      _ = try await Caller(url: try #require(made.object["url"] as? String)).signedIn("mina@example.com")
      func counts() async throws -> NSDictionary? {
        try await dev.call(.GET, "/_dev/coverage").object["counts"] as? NSDictionary
      }
      let before = try #require(try await counts())
      #expect("\(before)".contains("signIn"))
      let removal = Task { try await dev.call(.DELETE, "/_dev/worlds/w1").status }
      while try await !dev.call(.GET, "/_dev/worlds").list.isEmpty { #expect(try await counts() == before) }
      for _ in 0..<5 { #expect(try await counts() == before) }
      #expect(try await removal.value == 200)
      #expect(try await counts() == before)
    }
  }

  private static let long = """
    people: [{count: 2, email: "p{n}@example.com"}]
    workspaces: [{name: W, owner: p1, chats: [{count: 1000000, every: 1s, until: -1m, text: "{n}"}]}]
    """

  @Test("the planting of a seed ends when its caller is cancelled, and leaves nothing")
  func cancelled() async throws {
    try await Scene.run { worlds in
      let plan = WorldPlan(seed: try Seed(Self.long))
      let making = Task { try await worlds.make(plan) }
      making.cancel()
      await #expect(throws: CancellationError.self) { try await making.value }
      #expect(worlds.all.isEmpty && worlds.keptBeginnings == 0)
    }
  }

  @Test("the planting of a seed ends when its caller has left")
  func left() async throws {
    try await WorldCallsTests.run { dev in
      let port = try #require(URL(string: dev.url)?.port)
      let wire = try await Wire.connect(port)
      let body = try JSONSerialization.data(withJSONObject: ["seed": Self.long])
      try await wire.sendRequest("POST", "/_dev/worlds", headers: [], body: Array(body))
      // The next seed waits for this one.
      let next = Task { try await dev.call(.POST, "/_dev/worlds", #"{"name":"next"}"#) }
      wire.abort()
      #expect(try await next.value.object["name"] as? String == "next")
      #expect(try await dev.call(.GET, "/_dev/worlds").list.count == 1)
    }
  }
}
