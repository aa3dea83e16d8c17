/// A rule that was applied to a request or packet.
package struct AppliedFault: Codable, Hashable, Sendable {
  /// The rule's id.
  package let rule: Int
  /// The kind of its effect.
  package let kind: String

  package init(rule: Int, kind: String) { (self.rule, self.kind) = (rule, kind) }
}
