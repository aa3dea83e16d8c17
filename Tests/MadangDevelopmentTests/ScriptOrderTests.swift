import Foundation
import MadangCore
import MadangDevelopment
import NIOHTTP1
import Testing

@Suite("Order and end of scripts", .timeLimit(.minutes(5)))
struct ScriptOrderTests {
  private static let people = """
    people: [{count: 5, email: "p{n}@example.com"}]
    workspaces: [{name: W, owner: p1, members: everybody}]
    """

  /// A world with a number of which these are the scripts.
  private static func run(_ scripts: String = "[]", _ body: (MadangDevelopment.World) async throws -> Void) async throws
  {
    try await Scene.run { worlds in
      var plan = WorldPlan(seed: try Seed("\(people)\nscripts: \(scripts)"))
      plan.number = 1
      try await body(try await worlds.make(plan))
    }
  }

  private static func texts(_ world: MadangDevelopment.World) async throws -> [String] {
    let dev = Caller(url: world.url)
    let workspaces = "/_dev/people/p1/v1/workspaces"
    let id = try #require(try await dev.call(.GET, workspaces).list[0]["workspace_id"] as? String)
    let channel = try #require(
      try await dev.call(.GET, "\(workspaces)/\(id)/channels").list[0]["channel_id"] as? String)
    return try await dev.call(.GET, "\(workspaces)/\(id)/channels/\(channel)/chats").list.compactMap {
      $0["content"] as? String
    }
  }

  @Test("steps that became due while the clock was advanced run in the order of their times, the same each time")
  func order() async throws {
    let scripts = """

        - {name: a, start: true, as: p1, rate: 1/s, for: 3s, do: [{post: "a{n}", in: W}]}
        - {name: b, start: true, as: p2, rate: 1/s, for: 3s, after: 500ms, do: [{post: "b{n}", in: W}]}
        - {name: c, start: true, when: {chat: {from: p1}}, after: 200ms, times: 3, do: [{as: p3, post: "c {text}"}, {wait: 600ms}, {as: p3, post: "d {text}"}]}
        - {name: e, start: true, as: [p4, p5], times: 3, do: [{wait: 1s}, {post: "e{n}", in: W}]}
        - {name: f, start: true, when: {chat: {from: p4}}, times: 2, do: [{as: p5, post: "f {text}"}]}
      """
    for _ in 0..<3 {
      try await Self.run(scripts) { (world) async throws in
        world.clock.advance(milliseconds: 10_000)
        for name in ["a", "b", "c", "e", "f"] {
          let report = try await world.kit.scripts.report(of: name, within: .seconds(60))
          #expect(report.state == .ended && report.failed == 0, "\(report)")
        }
        #expect(
          try await Self.texts(world) == [
            "a1", "c a1", "b1", "d a1", "a2", "e1", "f e1", "c a2", "b2", "d a2", "a3", "e2", "c a3", "b3", "d a3",
            "e3",
            "f e3",
          ])
      }
    }
  }

  @Test("many scripts that are due at the same moment act in the order in which they were added")
  func ties() async throws {
    let scripts = (0..<40).map {
      "{name: s\($0), start: true, as: everybody, times: 2, do: [{wait: 1s}, {post: \"\($0)\", in: W}]}"
    }
    try await Self.run("[\(scripts.joined(separator: ", "))]") { (world) async throws in
      for second in 1...2 {
        world.clock.advance(milliseconds: 1000)
        for index in 0..<40 {
          #expect(try await world.kit.scripts.report(of: "s\(index)", after: second, within: .seconds(60)).failed == 0)
        }
        #expect(try await Self.texts(world) == (0..<40 * second).map { "\($0 % 40)" })
      }
    }
  }

  @Test("adding or starting scripts returns their state before the first runs, however fast these are")
  func beginnings() async throws {
    try await Self.run { world in
      let dev = Caller(url: world.url)
      func isFresh(_ reports: [[String: Any]]) -> Bool {
        reports.allSatisfy {
          $0["state"] as? String == "running" && $0["runs"] as? Int == 0 && $0["underWay"] as? Int == 0
        }
      }
      let script = "{name: s, start: true, as: everybody, rate: 1000/s, times: 5, do: [{post: x, in: W}]}"
      for _ in 0..<100 {
        let added = try await dev.call(.POST, "/_dev/scripts", script)
        #expect(try isFresh(added.list), "\(added.body)")
        _ = try await dev.call(.POST, "/_dev/scripts/s/stop")
        let started = try await dev.call(.POST, "/_dev/scripts/s/start")
        #expect(try isFresh([started.object]), "\(started.body)")
      }
    }
  }

  @Test("waiting for a script ends when it is stopped, removed, or the world is reset, with no run left")
  func ends() async throws {
    try await Self.run { world in
      let scripts = world.kit.scripts
      for end in ["stop", "remove", "reset"] {
        try await scripts.add(
          try Script.read("{name: s, start: true, as: p1, do: [{post: x, in: W}, {wait: 1h}, {post: y, in: W}]}"))
        // The first step was done: it is the pause that is waited for.
        await until { (try? await Self.texts(world).isEmpty) == false }
        let waiting = Task { try await scripts.report(of: "s", within: .seconds(60)) }
        switch end {
        case "stop": try await scripts.stop("s")
        case "remove": try await scripts.remove("s")
        default: try await world.reset()
        }
        // It may have begun to wait only when there was no such script any more.
        guard let report = try? await waiting.value else { continue }
        #expect(report.state == .stopped && report.underWay == 0, "\(report)")
      }
    }
  }

  @Test(
    "a script may be started and stopped at the same time, however often: no run changes the state of the next start")
  func races() async throws {
    try await Self.run { world in
      let scripts = world.kit.scripts
      try await scripts.add(
        try Script.read("{name: s, as: everybody, rate: 1000/s, times: 5, do: [{post: x, in: W}, {post: y, in: W}]}"))
      try await withThrowingTaskGroup { group in
        for index in 0..<60 {
          group.addTask {
            if index.isMultiple(of: 2) { _ = try? scripts.start("s") } else { try await scripts.stop("s") }
            let report = scripts.reports[0]
            #expect(report.underWay >= 0 && report.runs <= 5, "\(report)")
            world.clock.advance(milliseconds: 2)
          }
        }
        try await group.waitForAll()
      }
      try await scripts.stop("s")
      try scripts.start("s")
      world.clock.advance(milliseconds: 100)
      let report = try await scripts.report(of: "s", within: .seconds(60))
      #expect(report.state == .ended && report.runs == 5 && report.underWay == 0 && report.failed == 0, "\(report)")
    }
  }
}
