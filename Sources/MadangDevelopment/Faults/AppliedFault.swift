/// A rule by which something went wrong on purpose.
package struct AppliedFault: Codable, Hashable, Sendable {
  /// The rule's id.
  package let rule: Int
  /// What it does.
  package let kind: String

  package init(rule: Int, kind: String) { (self.rule, self.kind) = (rule, kind) }
}
