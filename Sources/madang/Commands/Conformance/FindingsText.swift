import Conformance

/// What a run prints: counts, then the violations by their causes; or each outcome as JSON.
struct FindingsText {
  let outcomes: [Outcome]
  let summary: Summary
  let output: Output

  func show(results: String) throws {
    if output.json { return try outcomes.forEach(output.line) }
    try output.list(
      summary.features + [summary.total],
      [
        Column("FEATURE", \.feature), Column("PASSED") { "\($0.passed)" }, Column("VIOLATED") { "\($0.violated)" },
        Column("SKIPPED") { "\($0.skipped)" },
      ], empty: "")
    for finding in summary.findings {
      try Terminal.line("")
      for line in Self.lines(finding) { try Terminal.line(line.printable) }
    }
    output.note("Outcomes: \(results)")
  }

  private static func lines(_ finding: Finding) -> [String] {
    let first = finding.first
    let details = [first.evidence, first.request].compactMap(\.self).map { "  \($0)" }
    let editions = finding.editions.joined(separator: ", ")
    return (finding.heading.map { [$0] } ?? []) + ["\(first.rule) (\(editions)), \(first.section): \(first.sentence)"]
      + details + (finding.otherRules.isEmpty ? [] : ["  also: " + finding.otherRules.joined(separator: " ")])
  }

  /// For example `41 violations with 2 causes`.
  static func total(_ summary: Summary) -> String {
    let (violations, causes) = (summary.total.violated, summary.findings.count)
    guard violations > 1 else { return "1 violation" }
    return "\(violations) violations with \(causes == 1 ? "one cause" : "\(causes) causes")"
  }
}
