import Foundation
import MadangAPI
import Support
import Synchronization
import Testing

@testable import Conformance

@Suite("Differences that servers often have", .timeLimit(.minutes(10)))
struct DifferenceTests {
  @Test(
    "a difference is one finding, under the rule that it is about, with the request of each violation",
    arguments: Difference.all)
  func found(_ difference: Difference) async throws {
    let rules = Suite.rules(matching: difference.selection)
    try await SuiteTests.withServer(.sqlite) { world in
      let port = Int(world.url.split(separator: ":").last ?? "") ?? 0
      let tokens = IssuedTokens()
      let outcomes = try await FaultyProxy.run(to: port, tokens.collected(by: difference.fault)) { url in
        try await SuiteTests.outcomes(url, rules)
      }.filter { difference.edition == nil || difference.edition?.rawValue == $0.edition }
      let findings = Summary(outcomes).findings
      for finding in findings where finding.cause != difference.cause.sentence {
        Issue.record("\(finding.rules): \(finding.first.evidence ?? "")")
      }
      let found = findings.first { $0.cause == difference.cause.sentence }
      #expect(found?.first.rule == difference.cause.rule)
      #expect((found?.rules.count ?? 0) >= difference.rules, "\(found?.rules ?? [])")
      #expect(outcomes.contains { $0.outcome == .passed })
      for violation in found?.violations ?? [] {
        let request = violation.request ?? ""
        #expect(request.contains("://127.0.0.1:"), "\(violation.rule): \(request)")
        #expect(!request.contains("dev-key"), "\(request)")
        #expect(!tokens.areIn(request + (violation.evidence ?? "")), "\(request)")
      }
    }
  }

  @Test("each known cause has a rule of the suite and a server that shows it")
  func complete() {
    for cause in Cause.known {
      #expect(Suite.rules.contains { $0.id == cause.rule }, "\(cause.sentence)")
      #expect(Difference.all.contains { $0.cause == cause }, "\(cause.sentence)")
    }
    #expect(Set(Cause.known.map(\.sentence)).count == Cause.known.count)
  }
}

/// The tokens that passed a proxy.
private final class IssuedTokens: Sendable {
  private let tokens = Mutex<Set<Substring>>([])

  func collected(by fault: Fault) -> Fault {
    var collecting = fault
    collecting.answer = { request, answer in
      let found = answer.isJSON ? answer.text.matches(of: /"(?:access|refresh)Token":"([^"]+)"/).map(\.output.1) : []
      self.tokens.withLock { $0.formUnion(found) }
      await fault.answer(request, &answer)
    }
    return collecting
  }

  func areIn(_ text: String) -> Bool { tokens.withLock { $0.contains { text.contains($0) } } }
}
