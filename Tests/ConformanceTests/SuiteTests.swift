import Conformance
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import Support
import Testing

@Suite("Conformance of Madang", .timeLimit(.minutes(20)))
struct SuiteTests {
  static let keys = Dictionary(uniqueKeysWithValues: EditionName.allCases.map { ($0, $0.developmentKey) })

  /// Runs `body` with a server on the real clock.
  static func withServer(_ engine: TestEngine, _ body: @escaping @Sendable (World) async throws -> Void) async throws {
    // The default of the wire contract; tests of the server hold connects for less.
    try await World.run(engine, settings: World.settings(\.sockets.hold, .seconds(3)), clock: Clock(), body)
  }

  /// The outcomes of rules at a server in development mode, on a machine that may be busy.
  static func outcomes(
    _ url: String, _ rules: [Rule], parallelism: Int = 8, patience: Duration = .seconds(40)
  ) async throws -> [Outcome] {
    try await ServerUnderTest.with(url, keys: keys, isInDevelopment: true, patience: patience) { server in
      await Runner(server, rules, parallelism: parallelism).run()
    }
  }

  @Test("Madang keeps every rule", arguments: TestEngine.available)
  func passes(_ engine: TestEngine) async throws {
    try await Self.withServer(engine) { world in
      let outcomes = try await Self.outcomes(world.url, Suite.rules)
      for outcome in outcomes where outcome.outcome != .passed {
        // It is skipped on a slow machine.
        if outcome.rule == "limits.requests", outcome.outcome == .skipped { continue }
        Issue.record("\(outcome.rule) (\(outcome.edition)) \(outcome.outcome): \(outcome.evidence ?? "")")
      }
    }
  }

  @Test("each rule has its own id and a sentence")
  func wellFormed() {
    #expect(Set(Suite.rules.map(\.id)).count == Suite.rules.count)
    #expect(Suite.rules.count >= 150)
    for rule in Suite.rules {
      #expect(rule.id.contains(".") && rule.id == rule.id.lowercased() && !rule.id.contains(" "), "\(rule.id)")
      #expect(rule.sentence.hasSuffix(".") && !rule.editions.isEmpty, "\(rule.id)")
    }
  }

  @Test("a pattern selects rules by a part of their id, or by * for any text")
  func selection() {
    #expect(Suite.rules(matching: ["errors.one-key"]).map(\.id) == ["errors.one-key"])
    #expect(Suite.rules(matching: ["refresh.*-2024-01"]).map(\.id) == ["refresh.early-2024-01"])
    #expect(Suite.rules(matching: ["*"]).count == Suite.rules.count)
    #expect(Suite.rules(matching: ["no-such"]).isEmpty)
    #expect(Suite.rules(matching: ["errors.", "key."]).allSatisfy { ["errors", "key"].contains($0.feature) })
  }

  @Test("a rule is skipped, with the reason, if the server lacks what it needs")
  func skips() async throws {
    try await Self.withServer(.sqlite) { world in
      let rules = Suite.rules(matching: ["payments.shape", "dates.zones", "expiry.files", "key.missing"])
      let outcomes = try await ServerUnderTest.with(world.url, keys: [.october2024: DevelopmentKey.october2024]) {
        await Runner($0, rules).run()
      }
      let verdicts = Dictionary(grouping: outcomes, by: \.edition).mapValues { Set($0.map(\.outcome)) }
      #expect(verdicts["2024-01"] == [.skipped])
      let october = outcomes.filter { $0.edition == "2024-10" }
      #expect(october.map(\.outcome) == [.skipped, .skipped, .passed, .skipped])
      #expect(october[0].evidence == "the keys of both editions are needed")
      #expect(october[1].evidence == "the calls of a server in development mode are needed (--dev)")
    }
  }

  @Test("two runs of the same server give the same bytes")
  func deterministic() async throws {
    try await Self.withServer(.sqlite) { world in
      let rules = Suite.rules(matching: ["users.login", "channels.mine"])
      let first = try Summary.lines(try await Self.outcomes(world.url, rules))
      #expect(try Summary.lines(try await Self.outcomes(world.url, rules)) == first)
    }
  }
}
