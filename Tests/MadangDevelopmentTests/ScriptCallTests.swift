import Foundation
import MadangDevelopment
import NIOHTTP1
import Testing

@Suite("Steps of scripts that call the API", .timeLimit(.minutes(5)))
struct ScriptCallTests {
  private static func run(_ steps: String, _ body: (Caller, ScriptReport) async throws -> Void) async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 3))
      let dev = Caller(url: world.url)
      let added = try await dev.call(.POST, "/_dev/scripts", "name: calls\ndo:\n\(steps)", type: "application/yaml")
      try #require(added.status == 200, "\(added.body)")
      try world.kit.scripts.start("calls")
      try await body(dev, try await world.kit.scripts.report(of: "calls", within: .seconds(60)))
    }
  }

  @Test("names in paths and bodies become ids, in both editions")
  func names() async throws {
    let steps = """
        - {as: mina, call: POST workspaces, body: {name: "Trip {n} 100%", description: "{Weekend}"}, pictures: [image]}
        - {as: mina, call: "post /v1/workspaces/{Trip %7Bn%7D 100%25}/members", body: {email: sora@example.com}}
        - {as: mina, call: "PUT workspaces/{Weekend}/channels/{Weekend/ios}", body: {name: swift, description: null}}
        - {as: mina, call: "PUT workspaces/{Weekend}/channels/{Weekend/swift}/change/admin/{@joon}", edition: 2024-01}
        - {as: mina, call: "POST workspaces/{Weekend}/dms", body: {opponent_id: {person: theo}}}
        - {call: POST users/join, body: {email: new@example.com, password: Passw0rd!, nickname: New}}
        - {as: mina, join: Weekend/swift}
        - {as: new, call: PUT users/me/image, pictures: [image]}
      """
    try await Self.run(steps) { dev, report in
      #expect(report.failed == 0 && report.runs == 1, "\(report)")
      let seed = try await dev.call(.GET, "/_dev/seed").body
      #expect(seed.contains(#"name: "Trip {n} 100%""#) && seed.contains(#"description: "{Weekend}""#), "\(seed)")
      #expect(seed.contains("- name: swift\n") && seed.contains("between: [mina, theo]"), "\(seed)")
      #expect(seed.contains("{email: new@example.com, nickname: New, picture: "), "\(seed)")
    }
  }

  @Test(
    "a refused call ends the run with code and message",
    arguments: [
      ("{as: joon, call: \"DELETE workspaces/{Weekend}\"}", "E14", "another account owns the workspace"),
      ("{as: joon, call: \"GET workspaces/{Gone}\"}", nil, "there is no workspace 'Gone'"),
      (
        "{as: joon, call: \"GET workspaces/{Weekend}/channels/{Weekend/gone}\"}", nil,
        "there is no channel 'Weekend/gone'"
      ),
      ("{call: POST users/join, body: {email: mina@example.com, password: Passw0rd!, nickname: M}}", "E12", "exists"),
    ] as [(String, String?, String)])
  func refused(_ step: String, _ code: String?, _ words: String) async throws {
    try await Self.run("  - \(step)\n  - {as: mina, post: Never, in: Weekend}\n") { dev, report in
      #expect(report.failed == 1 && report.failures.first?.code == code, "\(report)")
      let isNamed = report.failures.first?.error.contains(words) ?? false
      #expect(isNamed, "\(report)")
      let seed = try await dev.call(.GET, "/_dev/seed").body
      #expect(!seed.contains("Never"))
    }
  }

  @Test(
    "a mistaken call is refused with its line",
    arguments: [
      ("{as: mina, call: workspaces}", "call: a method and a path, such as POST workspaces"),
      ("{as: mina, call: POST workspacse}", "call: edition 2024-10 has no operation POST workspacse"),
      ("{as: mina, call: \"PUT workspaces/{Weekend\"}", "has a { without }"),
      ("{as: mina, call: \"PUT workspaces/{}\"}", "write {Weekend}, {Weekend/ios}, or {@mina}"),
      ("{call: POST workspaces, body: {name: X}}", "as: the person who does this step"),
      ("{as: mina, call: POST workspaces, body: [a]}", "body: {field: text}"),
      ("{as: mina, call: POST workspaces, body: {name: [a]}}", "name: a text, or {person: mina}"),
      ("{as: mina, call: POST workspaces, body: {\"a b\": c}}", "body: names of fields have letters"),
      ("{as: mina, call: POST workspaces, edition: 2023}", "edition: 2024-01 or 2024-10"),
      ("{as: mina, call: POST workspaces, in: Weekend}", "in: is not allowed with 'call'"),
      ("{as: mina, post: a, in: Weekend, body: {a: b}}", "body: is only allowed with 'call'"),
      ("{as: mina, call: \"GET users/{@zoe}\"}", "call: there is no person with the e-mail 'zoe'"),
    ])
  func mistakes(_ step: String, _ words: String) async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 3))
      let answer = try await Caller(url: world.url).call(
        .POST, "/_dev/scripts", "name: a\ndo:\n  - \(step)\n", type: "application/yaml")
      #expect(answer.status == 400 && answer.body.contains("line 3: "), "\(answer.body)")
      #expect(try (answer.object["error"] as? String)?.contains(words) ?? false, "\(answer.body)")
    }
  }

  @Test("a seed's script may name places that an earlier call makes, and no others")
  func places() throws {
    let people = "people: [{email: a@example.com}]\nworkspaces: [{name: W, owner: a}]\n"
    func seed(_ steps: String) throws -> Seed { try Seed("\(people)scripts: {name: s, do: [\(steps)]}") }
    _ = try seed("{as: a, call: POST workspaces, body: {name: New}}, {as: a, post: hi, in: New/x}")
    _ = try seed("{call: POST users/join, body: {email: b@example.com}}, {as: b, join: W}")
    _ = try seed("{as: a, post: hi, in: W/일반}")
    #expect(throws: SeedError.self) { try seed("{as: a, post: hi, in: New/x}") }
    #expect(throws: SeedError.self) { try seed("{as: a, call: \"PUT workspaces/{New}\"}") }
    #expect(throws: SeedError.self) { try seed("{as: b, join: W}") }
  }
}
