import MadangAPI

/// Outcomes counted by feature, and violations grouped by cause.
package struct Summary: Sendable {
  package struct Feature: Sendable, Encodable {
    package let feature: String
    package var passed = 0
    package var violated = 0
    package var skipped = 0
  }

  /// In the order of their names.
  package let features: [Feature]
  package let total: Feature
  /// The largest first.
  package let findings: [Finding]
  let skipped: [Outcome]
  let ruleCount: Int

  package init(_ outcomes: [Outcome]) {
    var features: [String: Feature] = [:]
    var total = Feature(feature: "all")
    for outcome in outcomes {
      features[outcome.feature, default: Feature(feature: outcome.feature)].count(outcome.outcome)
      total.count(outcome.outcome)
    }
    self.features = features.values.sorted { $0.feature < $1.feature }
    self.total = total
    findings = Finding.all(of: outcomes.filter { $0.outcome == .violated })
    skipped = outcomes.filter { $0.outcome == .skipped }
    ruleCount = Set(outcomes.map(\.rule)).count
  }

  /// Why no rule was tried; nil if one was.
  package var emptiness: String? {
    guard total.passed == 0, total.violated == 0 else { return nil }
    let reasons = Dictionary(grouping: skipped) { $0.evidence ?? "" }.sorted {
      ($1.value.count, $0.key) < ($0.value.count, $1.key)
    }
    return "no rule was tried: " + reasons.map { "\($0.value.count) skipped, as \($0.key)" }.joined(separator: "; ")
  }

  /// One JSON object per line, as `results.jsonl` has them.
  package static func lines(_ outcomes: [Outcome]) throws -> [UInt8] {
    try outcomes.flatMap { try WireEncoder.encode($0) + [UInt8(ascii: "\n")] }
  }
}

extension Summary.Feature {
  fileprivate mutating func count(_ verdict: Outcome.Verdict) {
    switch verdict {
    case .passed: passed += 1
    case .violated: violated += 1
    case .skipped: skipped += 1
    }
  }
}
