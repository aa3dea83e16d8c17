import MadangAPI

/// What became of one rule in one edition: a line of `results.jsonl`.
package struct Outcome: Sendable, Codable, Equatable {
  package enum Verdict: String, Sendable, Codable, CaseIterable {
    case passed, violated, skipped
  }

  package let rule: String
  package let edition: String
  /// A heading of docs/reference/wire-contract.md.
  package let section: String
  package let sentence: String
  package let outcome: Verdict
  /// Of a violation, what was expected and what was seen; of a rule that was skipped, why; else nil.
  package let evidence: String?

  init(_ rule: Rule, _ edition: EditionName, _ verdict: Verdict, evidence: String? = nil) {
    (self.rule, self.edition, sentence) = (rule.id, edition.rawValue, rule.sentence)
    (section, outcome, self.evidence) = (rule.section.rawValue, verdict, evidence)
  }

  package var feature: String { String(rule.prefix { $0 != "." }) }
}
