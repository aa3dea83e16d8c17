import MadangAPI

/// Outcomes counted by feature.
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
  package let violations: [Outcome]
  private let skipped: [Outcome]
  private let ruleCount: Int

  package init(_ outcomes: [Outcome]) {
    var features: [String: Feature] = [:]
    var total = Feature(feature: "all")
    for outcome in outcomes {
      features[outcome.feature, default: Feature(feature: outcome.feature)].count(outcome.outcome)
      total.count(outcome.outcome)
    }
    self.features = features.values.sorted { $0.feature < $1.feature }
    self.total = total
    violations = outcomes.filter { $0.outcome == .violated }
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

  /// How many rules could not be tried to their end because the server lets nobody sign up, which all else begins with.
  package var failedSignUps: Int {
    violations.count { $0.evidence?.hasPrefix("expected a success; seen POST /v1/users/join answered ") ?? false }
  }

  /// As a page in Markdown.
  /// - Parameter results: The path, from the page, of the file with the outcomes.
  package func markdown(results: String) -> String {
    var lines = [
      "# Conformance", "",
      "\(ruleCount) rules of the wire contract, each tried in the editions it is for. `madang conformance --list` lists them,",
      "Madang's docs/reference/conformance.md says how to run them. Each outcome: [\(results)](\(results)). Both files are written",
      "by `madang conformance`; do not edit them.", "",
      "| Feature | Passed | Violated | Skipped |", "|---|---|---|---|",
    ]
    for row in features + [total] {
      lines.append("| \(row.feature) | \(row.passed) | \(row.violated) | \(row.skipped) |")
    }
    if !violations.isEmpty {
      lines += ["", "## Violations", ""]
      lines += violations.map { "- `\($0.rule)` (\($0.edition), \($0.section)): \($0.sentence) \($0.evidence ?? "")" }
    }
    if !skipped.isEmpty {
      lines += ["", "## Skipped", ""]
      lines += skipped.map { "- `\($0.rule)` (\($0.edition)): \($0.evidence ?? "")" }
    }
    return lines.joined(separator: "\n") + "\n"
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
