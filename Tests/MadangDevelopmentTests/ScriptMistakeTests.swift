import MadangDevelopment
import NIOHTTP1
import Testing

@Suite("Mistakes in scripts")
struct ScriptMistakeTests {
  @Test(
    "a mistake in a script is reported with its line and its cure",
    arguments: [
      ("{name: a}", "line 1: do: a list of 1 to 10000 steps"),
      ("name: a/b\ndo: []", "line 1: name: must have 1 to 100"),
      ("name: .\ndo: [{wait: 1s}]", "line 1: name: must have 1 to 100"),
      ("{name: '..', do: [{wait: 1s}]}", "without /, and not be . or .."),
      ("name: a\ndo: [{as: x, post: y}]", "line 2: in: is missing; write a place like Weekend/ios"),
      ("name: a\ndo: [{as: x, post: y, to: z, in: W/c}]", "line 2: in: 'W/c' is a channel; beside a person"),
      ("name: a\ndo: [{post: y, in: W}]", "line 2: as: the person who does this step"),
      ("name: a\ndo: [{as: x, post: y, leave: W}]", "line 2: a step is one of"),
      ("name: a\nrate: 5000/s\ndo: [{wait: 1s}]", "line 2: rate: runs in a time"),
      ("name: a\nrate: 5/0s\ndo: [{wait: 1s}]", "line 2: rate: runs in a time"),
      ("name: a\nfor: 1s\ndo: [{wait: 1s}]", "line 2: for: needs 'rate'"),
      ("name: a\nwhen: {chat: {}}\nrate: 1/s\ndo: [{wait: 1s}]", "line 2: when: is not allowed with 'rate'"),
      ("name: a\ntimes: 0\ndo: [{wait: 1s}]", "line 2: times: a whole number from 1"),
      ("- {name: a, do: [{wait: 1s}]}\n- {name: a, do: [{wait: 1s}]}", "line 2: name: another script"),
    ])
  func mistakes(_ text: String, _ words: String) {
    let error = #expect(throws: SeedError.self) { _ = try Script.read(text) }
    #expect(error.map { "\($0)".contains(words) } ?? false, "\(String(describing: error))")
  }

  @Test(
    "a script that names an unknown person is refused with the line, and none is added",
    arguments: [
      (
        "name: a\ndo: [{as: zoe, post: x, in: Weekend}]",
        "line 2: as: there is no person with the e-mail 'zoe', or 'zoe@...'"
      ),
      (
        "name: a\nas: [mina,\n  z@example.com]\ndo: [{wait: 1s}]",
        "line 3: as: there is no person with the e-mail 'z@example.com'"
      ),
      ("name: a\nwhen: {chat: {from: zoe}}\ndo: [{as: mina, post: x}]", "line 2: from: there is no person"),
      ("name: a\nwhen: {chat: {to: zoe}}\ndo: [{as: mina, post: x}]", "line 2: to: there is no person"),
      (
        "- {name: a, do: [{wait: 1s}]}\n- {name: b, do: [{as: mina, to: zoe, post: x}]}",
        "line 2: to: there is no person"
      ),
    ])
  func nobody(_ text: String, _ words: String) async throws {
    try await Scene.run { worlds in
      let dev = Caller(url: try await worlds.make(try Scene.plan(.courtyard)).url)
      let answer = try await dev.call(.POST, "/_dev/scripts", text)
      #expect(answer.status == 400 && answer.body.contains("scripts: \(words)"), "\(answer.body)")
      #expect(answer.body.contains("; there are mina@example.com, "), "\(answer.body)")
      #expect(try await dev.call(.GET, "/_dev/scripts").body == "[]")
    }
  }

  @Test("a script that names two people with the same short name is refused; the whole e-mail is accepted")
  func ambiguous() async throws {
    try await Scene.run { worlds in
      let seed = try Seed("people: [{email: a@example.com}, {email: a@example.org}]")
      let dev = Caller(url: try await worlds.make(WorldPlan(seed: seed)).url)
      let answer = try await dev.call(.POST, "/_dev/scripts", "{name: s, as: a, do: [{wait: 1s}]}")
      #expect(answer.status == 400 && answer.body.contains("as: several people are called 'a'"), "\(answer.body)")
      let whole = "{name: s, as: A@example.org, do: [{wait: 1s}]}"
      #expect(try await dev.call(.POST, "/_dev/scripts", whole).status == 200)
    }
  }

  @Test("the longest times and highest rates are read without a trap")
  func extremes() throws {
    let scripts = try Script.read(
      """
      - {name: a, rate: 604800000/w, for: 250000000000000ms, after: 36000w, do: [{wait: 36000w}]}
      - {name: b, rate: 1/ms, for: 1ms, times: 1000000, do: [{wait: 1ms}]}
      """)
    #expect(scripts.map(\.name) == ["a", "b"])
  }

  @Test(
    "people and places of a seed's scripts must be in the seed",
    arguments: [
      (#"{name: s, do: [{as: zoe, post: x, in: W}]}"#, "as: 'zoe' is not a person of this seed"),
      (#"{name: s, do: [{as: a, post: x, in: V}]}"#, "in: no workspace of this seed is called 'V'"),
      (#"{name: s, do: [{as: a, leave: W/none}]}"#, "leave: 'W' has no channel 'none'"),
    ])
  func unknown(_ script: String, _ words: String) {
    let seed = "people: [{email: a@example.com}]\nworkspaces: [{name: W, owner: a}]\nscripts:\n  - \(script)"
    let error = #expect(throws: SeedError.self) { _ = try Seed(seed) }
    #expect(error.map { "\($0)".hasPrefix("line 4: \(words)") } ?? false, "\(String(describing: error))")
  }
}
