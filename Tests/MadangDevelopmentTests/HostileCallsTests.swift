import Foundation
import MadangDevelopment
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

/// What a careless or hostile client or tester may send.
@Suite("Hostile calls of development mode", .timeLimit(.minutes(5)))
struct HostileCallsTests {
  @Test("a forged length of a polling client does not disturb readers of the journal")
  func length() async throws {
    try await FaultScene.run { (scene) async throws in
      let wire = try await Wire.connect(scene.port)
      try await wire.send(
        Array(
          "GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: x\r\nContent-Length: 9223372036854775807\r\n\r\n"
            .utf8))
      _ = try await wire.readLine()
      wire.abort()
      _ = try await scene.journal("kind=request&wait=5s&count=1")
      #expect(try await scene.world.call(.GET, "/_dev/review", key: nil).status == 200)
    }
  }

  @Test("absurdly large numbers are refused")
  func numbers() async throws {
    try await Scene.run { worlds in
      let world = Caller(url: try await worlds.make(try Scene.plan(.empty)).url)
      let lowest = #"{"expected":[{"kind":"push"}],"after":-9223372036854775808}"#
      let answer = try await world.call(.POST, "/_dev/expect", lowest)
      #expect(answer.status == 400 && answer.body.contains("after"))
      let beyond = try await world.call(.GET, "/_dev/journal?after=9223372036854775807")
      #expect(beyond.status == 400 && beyond.body.contains("numbers up to 0"), "\(beyond.body)")
      for number in ["-9223372036854775808", "0", "9223372036854775807"] {
        let again = try await world.call(.POST, "/_dev/journal/\(number)/again", "{}")
        #expect(again.status == 400 && again.body.contains("journal/\(number): "), "\(again.body)")
      }
    }
  }

  @Test("a secret deep in an expectation is found in one pass and reported with the start of its path")
  func deepSecret() async throws {
    try await Scene.run { worlds in
      let world = Caller(url: try await worlds.make(try Scene.plan(.empty)).url)
      let (depth, name) = (90, String(repeating: "a", count: 200))
      let body = String(repeating: #"[null,{"\#(name)":"#, count: depth / 2) + #"{"password":1}"#
      let whole = #"{"expected":[{"body":\#(body)\#(String(repeating: "}]", count: depth / 2))}]}"#
      let answer = try await world.call(.POST, "/_dev/expect", whole)
      #expect(answer.status == 400 && answer.body.contains("expected[0].body[1].aaa"), "\(answer)")
      #expect(
        answer.body.contains("...: the journal does not keep secrets") && answer.body.utf8.count < 500, "\(answer)")
    }
  }

  @Test("texts with quadratic comparison and bodies beyond their limit are refused")
  func costlyBodies() async throws {
    try await Scene.run { worlds in
      let world = Caller(url: try await worlds.make(try Scene.plan(.empty)).url)
      let marks = String(repeating: #"\u0301\u0323"#, count: 1000)
      for (path, body) in [
        ("expect", #"{"expected":[{"account":"a\#(marks)"}]}"#), ("faults", #"{"effect":{"kind":"a\#(marks)"}}"#),
      ] {
        let answer = try await world.call(.POST, "/_dev/\(path)", body)
        #expect(answer.status == 400 && answer.body.contains("too many combining marks"), "\(answer)")
      }
      let many = Array(repeating: "{}", count: 400_000).joined(separator: ",")
      let long = try await world.call(.POST, "/_dev/expect", #"{"expected":[\#(many)]}"#)
      #expect(long.status == 400 && long.body.contains("1048576 bytes at most"), "\(long)")
    }
  }

  @Test("an error text stays short, however many mistakes a body has")
  func longErrors() async throws {
    try await Scene.run { worlds in
      let world = Caller(url: try await worlds.make(try Scene.plan(.empty)).url)
      let name = String(repeating: "k", count: 250)
      let deep = String(repeating: #"{"\#(name)":"#, count: 60)
      let numbers = Array(repeating: "1.5", count: 5000).joined(separator: ",")
      let body =
        #"{"merchant_uid":"a","amount":1e99,"status":\#(deep)[\#(numbers)]\#(String(repeating: "}", count: 60))}"#
      let answer = try await world.call(.POST, "/_dev/payments", body)
      #expect(answer.status == 400 && answer.body.utf8.count < 1000, "\(answer.body.utf8.count)")
    }
  }

  /// Longer than names in YAML may be.
  private static let anchor = String(repeating: "n", count: 1100)

  @Test(
    "seeds that would take all memory or time are refused with their line",
    arguments: [
      (
        """
        people: [{email: a@example.com}]
        workspaces: [{name: W, owner: a, chats: [{count: 1000000, every: 2000000d, text: "{n}"}]}]
        """, "every"
      ),
      (
        """
        people: [{count: 2000, email: "p{n}@example.com"}]
        workspaces: [{name: W, owner: p1, members: everybody, channels: [{count: 2000, name: "c{n}", members: everybody}]}]
        """, "at most 2000000"
      ),
      (
        (["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
          + (1...9).map { level in
            "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ","))]"
          }
          + ["? *a9", ": 1"]).joined(separator: "\n"), "are not allowed"
      ),
      (
        (["- &\(anchor)0 [x,x]"] + (1...12).map { "- &\(anchor)\($0) [*\(anchor)\($0 - 1),*\(anchor)\($0 - 1)]" }
          + ["- ? *\(anchor)12", "  : 1"]).joined(separator: "\n"), "are not allowed"
      ),
      (
        """
        people: [{email: a@example.com}]
        workspaces: [{name: W, owner: a, chats: [{count: 40000, every: 1ms, text: \(String(repeating: "x", count: 9999))}]}]
        """, "line 2: a seed makes at most 268435456 bytes of texts and files"
      ),
      (
        """
        people: [{count: 3000, email: "p{n}@example.com", picture: {color: "#ffffff", width: 1024, height: 1024}}]
        """, "line 1: a seed makes at most 268435456 bytes of texts and files"
      ),
      ("people: [{email: \"a@example.com\", \(String(repeating: "e\u{301}\u{302}", count: 1)): 1}]", "has no field"),
    ])
  func seeds(_ text: String, _ words: String) throws {
    let error = #expect(throws: SeedError.self) {
      let seed = try Seed(text)
      _ = try seed.planting(at: Seed.defaultStart)
    }
    #expect(error?.description.contains(words) == true, "\(error.map(String.init(describing:)) ?? "")")
  }

  @Test("the order of fields in a seed does not change its world")
  func objects() async throws {
    try await WorldCallsTests.run { dev in
      var people: Set<String> = []
      for seed in [
        #"{"name":"s","people":[{"email":"a@example.com","nickname":"A"}],"workspaces":[{"name":"W","owner":"a"}]}"#,
        #"{"workspaces":[{"owner":"a","name":"W"}],"people":[{"nickname":"A","email":"a@example.com"}],"name":"s"}"#,
      ] {
        let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":\#(seed),"number":7}"#)
        let world = Caller(url: try #require(try made.object["url"] as? String))
        people.insert(try await world.call(.GET, "/_dev/people").body)
      }
      #expect(people.count == 1, "\(people)")
    }
  }

  @Test("unknown fields and unknown calls are refused")
  func unknown() async throws {
    try await WorldCallsTests.run { dev in
      for (path, body) in [
        ("worlds", #"{"sed":"courtyard"}"#), ("worlds", #"{"nubmer":7}"#), ("clock", #"{"advnace":1}"#),
        ("restart", #"{"milliseconds":1,"second":1}"#), ("expect", #"{"expected":[{}],"settel":"1s"}"#),
      ] {
        let answer = try await dev.call(.POST, "/_dev/\(path)", body)
        #expect(answer.status == 400 && answer.body.contains("is not a field"), "\(path) \(body): \(answer)")
      }
      for (method, path) in [(HTTPMethod.GET, "wrolds"), (.DELETE, "worlds"), (.POST, "reset")] {
        let answer = try await dev.call(method, "/_dev/\(path)")
        #expect(answer.status == 404 && answer.body.contains("there is no development call"), "\(path): \(answer)")
      }
    }
  }

  @Test("planted seeds are cached for the next worlds, up to a limit")
  func beginnings() async throws {
    try await Scene.run { worlds in
      for number in 0..<20 {
        let world = try await worlds.make(try Scene.plan(.empty, number: UInt64(number)))
        #expect(await worlds.remove(world.id))
      }
      // A seed that was forgotten is planted anew.
      _ = try await worlds.make(try Scene.plan(.empty, number: 0))
      #expect(worlds.keptBeginnings <= 16)
    }
  }

  @Test("a page of another site cannot make development calls with a tester's browser, not even by GET")
  func pages() async throws {
    try await FaultScene.run { (scene) async throws in
      func status(_ fields: [(String, String)]) async throws -> Int {
        let wire = try await Wire.connect(scene.port)
        defer { wire.abort() }
        return try await wire.request("GET", "/_dev/people", headers: fields).status
      }
      #expect(try await status([]) == 200)
      #expect(try await status([("Sec-Fetch-Site", "none")]) == 200)
      #expect(try await status([("Sec-Fetch-Site", "same-origin"), ("Referer", "http://localhost:3000/x")]) == 200)
      #expect(try await status([("Sec-Fetch-Site", "cross-site")]) == 403)
      #expect(try await status([("Sec-Fetch-Site", "same-site")]) == 403)
      #expect(try await status([("Referer", "https://evil.example/")]) == 403)
      #expect(try await status([("Origin", "https://localhost:3000")]) == 200)
      for scheme in ["evil", "chrome-extension", "file", "ws", ""] {
        #expect(try await status([("Origin", "\(scheme)://localhost")]) == 403, "\(scheme)")
        #expect(try await status([("Referer", "\(scheme)://localhost/x")]) == 403, "\(scheme)")
      }
    }
  }

  /// Few characters, whose order Unicode takes the square of their number to find.
  private static let marks = "f" + String(repeating: "\u{301}\u{323}", count: 200)

  @Test("names that are long or slow to compare are refused")
  func names() async throws {
    try await WorldCallsTests.run { dev in
      let long = String(repeating: "f\u{301}\u{323}\u{302}\u{303}\u{304}\u{305}\u{306}", count: 100)
      for (name, reason) in [(Self.marks, "too many combining marks"), (long, "name: 1 to 100 characters")] {
        let answer = try await dev.call(.POST, "/_dev/worlds", #"{"name":"\#(name)"}"#)
        #expect(answer.status == 400 && answer.body.contains(reason), "\(answer)")
      }
      #expect(try await dev.call(.POST, "/_dev/worlds", #"{"name":"KÄFER"}"#).status == 200)
      let answer = try await dev.call(.POST, "/_dev/worlds/w1/snapshots", #"{"name":"\#(Self.marks)"}"#)
      #expect(answer.status == 400 && answer.body.contains("too many combining marks"), "\(answer)")
      #expect(try await dev.call(.GET, "/_dev/worlds/k%C3%A4fer").status == 200)
    }
  }

  @Test("texts that stand-ins keep are limited")
  func standIns() async throws {
    try await WorldCallsTests.run { dev in
      func text(_ count: Int) -> String { String(repeating: "x", count: count) }
      for (path, field, rest) in [
        ("payments", "merchant_uid", #""amount":1"#), ("payments", "imp_uid", #""amount":1,"merchant_uid":"m""#),
        ("social-tokens", "subject", #""provider":"kakao""#),
        ("social-tokens", "email", #""provider":"apple","subject":"1""#),
        ("social-tokens", "nickname", #""provider":"kakao","subject":"1""#),
      ] {
        let right = try await dev.call(.POST, "/_dev/\(path)", #"{"\#(field)":"\#(text(1000))",\#(rest)}"#)
        #expect(right.status == 200, "\(right)")
        let long = try await dev.call(.POST, "/_dev/\(path)", #"{"\#(field)":"\#(text(1001))",\#(rest)}"#)
        #expect(long.status == 400 && long.body.contains("\(field): 1000 bytes at most"), "\(long)")
      }
    }
  }

  @Test("patterns of the journal have the same limit as those of faults")
  func patterns() async throws {
    try await WorldCallsTests.run { dev in
      func pattern(_ count: Int) -> String { "/*" + String(repeating: "a", count: count - 2) }
      #expect(try await dev.call(.GET, "/_dev/journal?path=\(pattern(512))").status == 200)
      let filter = try await dev.call(.GET, "/_dev/journal?path=\(pattern(513))")
      #expect(filter.status == 400 && filter.body.contains("path: 512 bytes at most"), "\(filter)")
      let expected = try await dev.call(.POST, "/_dev/expect", #"{"expected":[{"path":"\#(pattern(513))"}]}"#)
      #expect(expected.status == 400 && expected.body.contains("path: 512 bytes at most"), "\(expected)")
    }
  }

  @Test("the number of waiting calls is limited, and calls that do not wait are answered")
  func waits() async throws {
    try await FaultScene.run(waits: Waits(limit: 2)) { (scene) async throws in
      let waiting = (1...2).map { _ in
        Task { try await scene.journal("kind=push&wait=60s") }
      }
      await until { scene.kit.developmentCallsUnderWay == 2 }
      let script = try await scene.call(
        .POST, "/_dev/scripts", json: #"{"name":"s","do":[{"wait":"1h"}],"start":true}"#)
      #expect(script.status == 200, "\(script.text)")
      for path in ["journal?wait=1ms&count=1000", "scripts/s?wait=1ms"] {
        let answer = try await scene.call(.GET, "/_dev/\(path)")
        #expect(answer.status == 400 && answer.text.contains("2 calls are waiting here already"), "\(answer.text)")
      }
      let expected = try await scene.call(.POST, "/_dev/expect", json: #"{"expected":[{"kind":"push"}],"wait":"1ms"}"#)
      #expect(expected.status == 400 && expected.text.contains("2 calls are waiting here already"), "\(expected.text)")
      #expect(try await scene.call(.GET, "/_dev/journal").status == 200)
      for call in waiting { call.cancel() }
      for call in waiting { _ = await call.result }
      await until { scene.kit.developmentCallsUnderWay == 0 }
      #expect(try await scene.call(.GET, "/_dev/journal?wait=1ms&count=1000").status == 200)
    }
  }
}
