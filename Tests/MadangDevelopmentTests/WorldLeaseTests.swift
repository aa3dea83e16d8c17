import Foundation
import MadangDevelopment
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("Worlds with a lease", .timeLimit(.minutes(5)))
struct WorldLeaseTests {
  @Test("a world whose time passes without a request is removed, and calls about it say why")
  func ends() async throws {
    try await WorldCallsTests.run { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"empty","ttl":"1s","name":"Short"}"#)
      #expect(try made.object["expires"] is String)
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"empty"}"#)
      await until { (try? await dev.call(.GET, "/_dev/worlds").list.count == 1) ?? false }
      let left = try await dev.call(.GET, "/_dev/worlds").list
      #expect(left.first?["id"] as? String == "w2" && left.first?["expires"] is NSNull)
      for name in ["w1", "short"] {
        let gone = try await dev.call(.GET, "/_dev/worlds/\(name)")
        #expect(gone.status == 400 && gone.body.contains("no request had come for 1s, its 'ttl'"), "\(gone.body)")
      }
      let url = try #require(try made.object["url"] as? String)
      // Another server may have its port by now.
      let answer = try? await Caller(url: url).call(.GET, "/_dev/world")
      #expect(answer?.body.contains("Short") != true)
    }
  }

  @Test("each request to a world or about it renews its lease; a list of all worlds does not")
  func renewed() async throws {
    try await WorldCallsTests.run { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"empty","ttl":600}"#)
      let world = Caller(url: try #require(try made.object["url"] as? String))
      func expires() async throws -> String {
        let worlds = try await dev.call(.GET, "/_dev/worlds").list
        return try #require(worlds.first?["expires"] as? String)
      }
      var last = try await expires()
      let port = try #require(URL(string: dev.url)?.port)
      for request in ["/v1/workspaces", "/_dev/clock", "about", "host"] {
        let before = last
        // The date has whole milliseconds.
        let next = ContinuousClock.now + .milliseconds(5)
        await until { ContinuousClock.now > next }
        switch request {
        case "about": _ = try await dev.call(.GET, "/_dev/worlds/w1")
        case "host":
          let wire = try await Wire.connect(port)
          _ = try await wire.request("GET", "/v1/workspaces", headers: [("Host", "w1.localhost")])
          wire.abort()
        default: _ = try await world.call(.GET, request)
        }
        last = try await expires()
        #expect(last > before, "\(request)")
      }
    }
  }

  @Test("a call that waits keeps its world for longer than the lease")
  func waiting() async throws {
    try await WorldCallsTests.run { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"empty","ttl":"30s"}"#)
      let world = Caller(url: try #require(try made.object["url"] as? String))
      let answer = try await world.call(.GET, "/_dev/journal?kind=push&wait=40s")
      #expect(answer.status == 200 && answer.body.contains(#""complete":false"#))
      #expect(try await dev.call(.GET, "/_dev/worlds/w1").status == 200)
    }
  }

  @Test(
    "a lease is from one second to seven days long",
    arguments: [#""999ms""#, "0", #""8d""#, "604801", "-1", #""soon""#, "true", "[]"])
  func limits(_ ttl: String) async throws {
    try await WorldCallsTests.run { dev in
      let answer = try await dev.call(.POST, "/_dev/worlds", #"{"ttl":\#(ttl)}"#)
      #expect(answer.status == 400 && answer.body.contains("ttl: a length of time like 500ms"), "\(answer.body)")
      #expect(try await dev.call(.POST, "/_dev/worlds", #"{"ttl":"7d"}"#).status == 200)
    }
  }
}
