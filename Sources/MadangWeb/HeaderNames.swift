import HTTPTypes

/// Header names that HTTPTypes does not know.
extension HTTPField.Name {
  static let crossOriginOpenerPolicy = own("Cross-Origin-Opener-Policy")
  static let clearSiteData = own("Clear-Site-Data")
  static let proof = own("X-Madang-Proof")
  /// A timer of a page asks, not a person.
  static let poll = own("X-Madang-Poll")
  static let robotsTag = own("X-Robots-Tag")
  /// Present while the server accepts no changes.
  static let readOnly = own("X-Madang-Read-Only")
  static let once = own("X-Madang-Once")

  /// - Parameter text: A constant. Each test that uses the name fails if it is invalid.
  private static func own(_ text: String) -> Self {
    guard let name = Self(text) else { preconditionFailure("'\(text)' is not a valid header name") }
    return name
  }
}
