import MadangAPI

/// Outcomes as pages in Markdown, beside their `results.jsonl`: a summary, a page for each edition, and a badge.
package struct Pages: Sendable {
  private let outcomes: [Outcome]
  private let summary: Summary

  package init(_ outcomes: [Outcome]) {
    (self.outcomes, summary) = (outcomes, Summary(outcomes))
  }

  /// The names of the files, and what they hold.
  package var files: [(name: String, text: String)] {
    [("README.md", overview), ("badge.svg", Badge(summary.total).svg)]
      + editions.map { ("\($0).md", page(of: $0)) }
  }

  private var editions: [String] { Set(outcomes.map(\.edition)).sorted(by: >) }

  private var overview: String {
    var lines = [
      "# Conformance", "", "![\(Badge(summary.total).text)](badge.svg)", "",
      "\(summary.ruleCount) rules of the wire contract, each tried in the editions it is for. Each outcome:",
      "[results.jsonl](results.jsonl). All files here are written by `madang conformance`; do not edit them. Madang's",
      "docs/reference/conformance.md explains them.", "",
      "| Edition | Passed | Violated | Skipped |", "|---|---|---|---|",
    ]
    for edition in editions {
      let total = Summary(outcomes.filter { $0.edition == edition }).total
      lines.append("| [\(edition)](\(edition).md) \(Self.counts(total))")
    }
    lines += ["", "| Feature | Passed | Violated | Skipped |", "|---|---|---|---|"]
    lines += (summary.features + [summary.total]).map { "| \($0.feature) \(Self.counts($0))" }
    if !summary.findings.isEmpty { lines += ["", "## Violations"] + summary.findings.flatMap(Self.lines) }
    if !summary.skipped.isEmpty {
      lines += ["", "## Skipped", ""]
      lines += summary.skipped.map { "- `\($0.rule)` (\($0.edition)): \($0.evidence ?? "")" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func counts(_ row: Summary.Feature) -> String {
    "| \(row.passed) | \(row.violated) | \(row.skipped) |"
  }

  private static func lines(_ finding: Finding) -> [String] {
    let first = finding.first
    var lines = ["", "### \(finding.heading ?? first.rule)", ""]
    lines.append("`\(first.rule)` (\(finding.editions.joined(separator: ", ")), \(first.section)): \(first.sentence)")
    lines += ["", "```", first.evidence ?? ""] + (first.request.map { [$0] } ?? []) + ["```"]
    if !finding.otherRules.isEmpty {
      lines += ["", "Also: " + finding.otherRules.map { "`\($0)`" }.joined(separator: ", ") + "."]
    }
    return lines
  }

  /// Every rule of an edition under its heading of the contract.
  private func page(of edition: String) -> String {
    let own = outcomes.filter { $0.edition == edition }
    var lines = [
      "# Edition \(edition)", "",
      "The rules by the headings of the wire contract. [Summary](README.md).",
    ]
    for section in Section.allCases {
      let rows = own.filter { $0.section == section.rawValue }
      guard !rows.isEmpty else { continue }
      lines += ["", "## \(section.rawValue)", "", "| Rule | Sentence | Outcome |", "|---|---|---|"]
      lines += rows.map { row in
        let sentence = row.sentence.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("*", with: "\\*")
        return "| `\(row.rule)` | \(sentence) | \(row.outcome.rawValue) |"
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
