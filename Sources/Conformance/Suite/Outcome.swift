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
  /// Of a violation, the request as a shell command, with secrets as variables.
  package let request: String?
  /// Of a violation, the sentence of its ``Cause``, if it is known.
  package let cause: String?

  init(
    _ rule: Rule, _ edition: EditionName, _ verdict: Verdict, evidence: String? = nil, request: String? = nil,
    cause: Cause? = nil
  ) {
    (self.rule, self.edition, sentence) = (rule.id, edition.rawValue, rule.sentence)
    (section, outcome, self.evidence) = (rule.section.rawValue, verdict, evidence)
    (self.request, self.cause) = (request, cause?.sentence)
  }

  /// The reason of rules that were not tried to their end, because the server stopped answering.
  static let serverGone = "the server no longer answered"

  /// Whether the server stopped answering before the rule was tried to its end.
  package var isOfSilence: Bool { outcome == .skipped && evidence == Self.serverGone }

  package var feature: String { String(rule.prefix { $0 != "." }) }
}
