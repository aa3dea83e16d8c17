import Conformance
import MadangAPI
import Support
import Testing

/// One deliberate violation, and the rule that must notice it.
struct Deliberate: Sendable, CustomTestStringConvertible {
  let what: String
  /// The rule that must fail.
  let rule: String
  /// Which rules are run.
  let selection: String
  let edition: EditionName
  let fault: Fault

  init(
    _ what: String, _ rule: String, of selection: String? = nil, in edition: EditionName = .october2024, _ fault: Fault
  ) {
    (self.what, self.rule, self.edition, self.fault) = (what, rule, edition, fault)
    self.selection = selection ?? rule
  }

  var testDescription: String { "\(rule): \(what)" }
}

@Suite("Deliberate violations of the wire contract", .timeLimit(.minutes(10)))
struct ViolationTests {
  @Test(
    "a rule fails at a server that breaks it, with evidence that holds no key and no token", arguments: Deliberate.all)
  func noticed(_ deliberate: Deliberate) async throws {
    let rules = Suite.rules(matching: [deliberate.selection])
    try await SuiteTests.withServer(.sqlite) { world in
      // The fault alone makes the difference.
      let before = try await SuiteTests.outcomes(world.url, rules).filter { $0.edition == deliberate.edition.rawValue }
      for outcome in before {
        #expect(outcome.outcome == .passed, "without the fault \(outcome.rule): \(outcome.evidence ?? "")")
      }
      let port = Int(world.url.split(separator: ":").last ?? "") ?? 0
      let outcomes = try await FaultyProxy.run(to: port, deliberate.fault) { url in
        // Some faults are silence.
        try await SuiteTests.outcomes(url, rules, patience: .seconds(12))
      }
      let outcome = outcomes.first { $0.rule == deliberate.rule && $0.edition == deliberate.edition.rawValue }
      #expect(outcome?.outcome == .violated)
      let evidence = outcome?.evidence ?? ""
      #expect(evidence.hasPrefix("expected ") && evidence.contains("; seen "), "\(evidence)")
      #expect(!evidence.contains("dev-key") && !evidence.contains(/(Authorization|RefreshToken)=[^<]/), "\(evidence)")
    }
  }

  @Test("there is a deliberate violation for each main feature")
  func breadth() {
    #expect(Deliberate.all.count >= 30)
    let features = Set(Deliberate.all.map { $0.rule.prefix { $0 != "." } })
    let needed: Set<Substring> = ["answers", "errors", "users", "refresh", "workspaces", "chats", "files", "sockets"]
    #expect(features.isSuperset(of: needed))
  }

  @Test("all rules pass through a proxy that changes nothing")
  func transparent() async throws {
    let patterns = [
      "answers.", "errors.", "files.range", "files.etag", "sockets.upgrade", "sockets.delivery.", "refresh.",
    ]
    let rules = Suite.rules(matching: patterns)
    try await SuiteTests.withServer(.sqlite) { world in
      let port = Int(world.url.split(separator: ":").last ?? "") ?? 0
      let outcomes = try await FaultyProxy.run(to: port, Fault()) { try await SuiteTests.outcomes($0, rules) }
      for outcome in outcomes where outcome.outcome != .passed {
        Issue.record("\(outcome.rule) (\(outcome.edition)): \(outcome.evidence ?? "")")
      }
    }
  }
}
