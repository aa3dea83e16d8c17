/// Identifies a session. The number alone is not enough: a database that was restored, or that took over without the last rows, gives
/// numbers again, and tokens of the lost session must not be valid for the new one.
package struct SessionID: Hashable, Sendable {
  package let number: Int64
  /// When the session began, in milliseconds since 1970.
  package let begun: Int64

  package init(number: Int64, begun: Int64) { (self.number, self.begun) = (number, begun) }
}
