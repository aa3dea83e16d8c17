import Foundation
import MadangAPI
import MadangCore
import MadangDevelopment
import NIOHTTP1
import Testing

@Suite("Scripts of people", .timeLimit(.minutes(5)))
struct ScriptTests {
  private static func run(_ body: (Caller, World) async throws -> Void) async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 3))
      try await body(Caller(url: world.url), world)
    }
  }

  /// The path of the chats of Weekend/ios.
  private static func path(_ dev: Caller) async throws -> String {
    let mina = "/_dev/people/mina/v1/workspaces"
    let workspace = try #require(
      try await dev.call(.GET, mina).list.first { $0["name"] as? String == "Weekend" }?["workspace_id"] as? String)
    let channel = try #require(
      try await dev.call(.GET, "\(mina)/\(workspace)/channels").list.first { $0["name"] as? String == "ios" }?[
        "channel_id"] as? String)
    return "v1/workspaces/\(workspace)/channels/\(channel)/chats"
  }

  /// The texts of its last chats.
  private static func chats(_ dev: Caller, _ count: Int) async throws -> [String] {
    let all = try await dev.call(.GET, "/_dev/people/mina/\(path(dev))").list
    return all.suffix(count).compactMap { $0["content"] as? String }
  }

  private static func post(_ dev: Caller, _ person: String, _ text: String, in place: String = "Weekend/ios")
    async throws
  {
    let answer = try await dev.call(.POST, "/_dev/people/\(person)/post", #"{"in":"\#(place)","text":"\#(text)"}"#)
    #expect(answer.status == 200, "\(answer.body)")
  }

  private static func report(_ dev: Caller, _ name: String, _ query: String = "") async throws -> ScriptReport {
    let answer = try await dev.call(.GET, "/_dev/scripts/\(name)\(query)")
    return try JSONDecoder().decode(ScriptReport.self, from: Data(answer.body.utf8))
  }

  @Test("a script answers every chat of another person, whichever way it came, at the clock's time")
  func answers() async throws {
    try await Self.run { dev, world in
      let script = #"""
        {"name":"echo","when":{"chat":{"from":"mina","in":"Weekend/ios"}},"after":"200ms",
         "do":[{"as":"joon","post":"{n}: {nickname} said {text} {x}"}]}
        """#
      #expect(try await dev.call(.POST, "/_dev/scripts", script).status == 200)
      #expect(try await Self.report(dev, "echo").state == .ready)
      try await Self.post(dev, "mina", "before it began")
      #expect(try await dev.call(.POST, "/_dev/scripts/echo/start").status == 200)
      // As a client of hers posts it.
      let mina = try await dev.signedIn("mina@example.com")
      #expect(try await mina.call(.POST, "/\(Self.path(dev))", #"{"content":"hi {n}"}"#).status == 200)
      try await Self.post(dev, "sora", "not mine", in: "Weekend/hiking")
      try await Self.post(dev, "theo", "nor mine")
      // The clock of a world with a number stands still.
      #expect(try await Self.report(dev, "echo", "?runs=1&wait=100ms").runs == 0)
      let hasty = try await dev.call(.GET, "/_dev/scripts/echo?runs=1")
      #expect(hasty.status == 400 && hasty.body.contains("runs: needs 'wait'"), "\(hasty.body)")
      world.clock.advance(milliseconds: 199)
      #expect(try await Self.report(dev, "echo", "?runs=1&wait=50ms").runs == 0)
      world.clock.advance(milliseconds: 1)
      #expect(try await Self.report(dev, "echo", "?runs=1&wait=1m").runs == 1)
      #expect(try await Self.chats(dev, 1) == ["1: Mina said hi {n} {x}"])
      let stopped = try await dev.call(.POST, "/_dev/scripts/echo/stop")
      #expect(try stopped.object["state"] as? String == "stopped")
      try await Self.post(dev, "mina", "unheard")
      world.clock.advance(milliseconds: 1000)
      #expect(try await Self.chats(dev, 1) == ["unheard"])
    }
  }

  @Test("ten people post at a rate, as the clock advances")
  func rate() async throws {
    try await Scene.run { worlds in
      let seed = """
        people:
          - {count: 10, email: "p{n}@example.com"}
        workspaces:
          - {name: W, owner: p1, members: everybody}
        scripts:
          - {name: rush, as: everybody, rate: 5/s, for: 10s, start: true, do: [{post: "run {n}", in: W}]}
        """
      var plan = WorldPlan(seed: try Seed(seed))
      plan.number = 1
      let world = try await worlds.make(plan)
      let scripts = world.kit.scripts
      #expect(try await scripts.report(of: "rush", after: 1, within: .seconds(60)).runs == 1)
      world.clock.advance(milliseconds: 999)
      #expect(try await scripts.report(of: "rush", after: 5, within: .seconds(60)).runs == 5)
      world.clock.advance(milliseconds: 10_000)
      let report = try await scripts.report(of: "rush", within: .seconds(60))
      #expect(report.state == .ended && report.runs == 50 && report.failed == 0, "\(report)")
      let id = try #require(
        try await Caller(url: world.url).call(.GET, "/_dev/people/p1/v1/workspaces").list[0]["workspace_id"] as? String)
      let base = "/_dev/people/p1/v1/workspaces/\(id)/channels"
      let channel = try #require(try await Caller(url: world.url).call(.GET, base).list[0]["channel_id"] as? String)
      let chats = try await Caller(url: world.url).call(.GET, "\(base)/\(channel)/chats").list
      let authors = chats.compactMap { ($0["user"] as? [String: Any])?["email"] as? String }
      #expect(chats.count == 50)
      #expect(Dictionary(grouping: authors) { $0 }.values.allSatisfy { $0.count == 5 } && Set(authors).count == 10)
    }
  }

  @Test("a script lets a person leave once while another one writes; refused steps are reported with their code")
  func leaves() async throws {
    try await Self.run { dev, _ in
      let script = #"""
        name: gone
        when: {chat: {from: mina, text: "*bye*"}}
        times: 2
        start: true
        do: [{as: theo, leave: Weekend/ios}]
        """#
      #expect(try await dev.call(.POST, "/_dev/scripts", script).status == 200)
      try await Self.post(dev, "mina", "stay")
      try await Self.post(dev, "mina", "good bye")
      try await Self.post(dev, "mina", "bye")
      let report = try await Self.report(dev, "gone", "?wait=1m")
      #expect(report.state == .ended && report.runs == 2 && report.failed == 1, "\(report)")
      #expect(report.failures.first?.code == "E13" && report.failures.first?.person == "theo")
    }
  }

  @Test("two scripts that answer each other end after their repetitions")
  func loops() async throws {
    try await Self.run { dev, _ in
      let scripts = #"""
        - {name: a, start: true, times: 40, when: {chat: {from: joon}}, do: [{as: mina, post: "ping {n}"}]}
        - {name: b, start: true, when: {chat: {from: mina}}, do: [{as: joon, post: "pong {n}"}]}
        """#
      #expect(try await dev.call(.POST, "/_dev/scripts", scripts).status == 200)
      try await Self.post(dev, "joon", "begin")
      #expect(try await Self.report(dev, "a", "?wait=1m").state == .ended)
      #expect(try await Self.report(dev, "b", "?runs=40&wait=1m").runs == 40)
      #expect(try await Self.chats(dev, 2) == ["ping 40", "pong 40"])
    }
  }

  @Test("steps run in order with pauses, and direct messages also start runs")
  func steps() async throws {
    try await Self.run { dev, world in
      let script = #"""
        name: talk
        when: {chat: {from: mina, to: joon}}
        times: 1
        start: true
        do:
          - {as: joon, post: "I saw: {text}"}
          - {wait: 2s}
          - {as: joon, to: sora, post: "she wrote", files: 1}
          - {as: sora, join: Weekend/ios}
          - {as: sora, post: "here I am", in: Weekend/ios}
        """#
      #expect(try await dev.call(.POST, "/_dev/scripts", script).status == 200)
      _ = try await dev.call(.POST, "/_dev/people/mina/post", #"{"to":"sora","text":"not this one"}"#)
      _ = try await dev.call(.POST, "/_dev/people/mina/post", #"{"to":"joon","text":"hey"}"#)
      await until { (try? await Self.report(dev, "talk").underWay) == 1 }
      world.clock.advance(milliseconds: 2000)
      let report = try await Self.report(dev, "talk", "?wait=1m")
      #expect(report.state == .ended && report.failed == 0, "\(report)")
      #expect(try await Self.chats(dev, 1) == ["here I am"])
    }
  }

  @Test("a reset ends all scripts and starts those of the seed again")
  func reset() async throws {
    try await Scene.run { worlds in
      let seed = """
        people: [{email: a@example.com}, {email: b@example.com}]
        workspaces: [{name: W, owner: a, members: [b]}]
        scripts:
          - {name: own, start: true, when: {chat: {from: a, in: W}}, do: [{as: b, post: "{n}"}]}
          - {name: later, do: [{as: b, post: "x", in: W}]}
        """
      let world = try await worlds.make(WorldPlan(seed: try Seed(seed)))
      let dev = Caller(url: world.url)
      try await Self.post(dev, "a", "one", in: "W")
      #expect(try await world.kit.scripts.report(of: "own", after: 1, within: .seconds(60)).runs == 1)
      try await world.kit.scripts.add(
        try Script.read("{name: added, start: true, rate: 1/h, do: [{as: b, post: x, in: W}]}"))
      #expect(world.kit.scripts.reports.map(\.name) == ["own", "later", "added"])
      try await world.reset()
      #expect(world.kit.scripts.reports.map(\.name) == ["own", "later"])
      #expect(world.kit.scripts.reports.map(\.state) == [.running, .ready])
      #expect(world.kit.scripts.reports.map(\.runs) == [0, 0])
      try await Self.post(dev, "a", "again", in: "W")
      #expect(try await world.kit.scripts.report(of: "own", after: 1, within: .seconds(60)).runs == 1)
      #expect(try await dev.call(.DELETE, "/_dev/scripts").body == "{}")
      #expect(try await dev.call(.GET, "/_dev/scripts").body == "[]")
    }
  }

  @Test("impossible calls about scripts are refused with the reason")
  func calls() async throws {
    try await Self.run { dev, _ in
      #expect(
        try await dev.call(.POST, "/_dev/scripts/none/start").body.contains("there is no script 'none'; there are none")
      )
      _ = try await dev.call(.POST, "/_dev/scripts", "{name: a, rate: 1/h, start: true, do: [{wait: 1s}]}")
      #expect(try await dev.call(.POST, "/_dev/scripts/a/start").body.contains("already runs; stop it first"))
      #expect(try await dev.call(.GET, "/_dev/scripts/a?wait=2h").body.contains("at most 1m"))
      let many = "[" + (0..<100).map { "{name: s\($0), do: [{wait: 1s}]}" }.joined(separator: ",") + "]"
      #expect(try await dev.call(.POST, "/_dev/scripts", many).body.contains("there are already 100 scripts"))
      #expect(try await dev.call(.DELETE, "/_dev/scripts/a").status == 200)
      #expect(try await dev.call(.POST, "/_dev/scripts", many).status == 200)
    }
  }
}
