import Foundation
import MadangDevelopment
import NIOHTTP1
import Support
import Testing

@Suite("What is under way when a world ends or its caller leaves", .timeLimit(.minutes(1)))
struct WorldEndTests {
  @Test(
    "who waits for something in a world that is removed is told so",
    arguments: ["journal?kind=push&wait=60s", "scripts/s?wait=60s"])
  func waits(_ call: String) async throws {
    try await WorldCallsTests.run { dev in
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard","number":1}"#)
      let script = "{name: s, start: true, do: [{wait: 1h}]}"
      #expect(try await dev.call(.POST, "/_dev/worlds/w1/scripts", script).status == 200)
      let waiting = Task { try await dev.call(.GET, "/_dev/worlds/w1/\(call)") }
      await Task.yield()
      #expect(try await dev.call(.DELETE, "/_dev/worlds/w1").status == 200)
      let answer = try await waiting.value
      // It may have asked only when the world was gone.
      #expect(
        answer.status == 400
          && (answer.body.contains("the world 'w1' has been removed")
            || answer.body.contains("there is no world 'w1'")),
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
