import HTTPTypes

/// Header names that HTTPTypes does not know.
extension HTTPField.Name {
  static let forwarded = own("Forwarded")
  static let forwardedFor = own("X-Forwarded-For")
  static let forwardedProto = own("X-Forwarded-Proto")
  static let forwardedHost = own("X-Forwarded-Host")
  static let realIP = own("X-Real-IP")
  static let secFetchSite = own("Sec-Fetch-Site")

  /// - Parameter text: A constant. Each test that uses the name fails if it is invalid.
  private static func own(_ text: String) -> Self {
    guard let name = Self(text) else { preconditionFailure("'\(text)' is not a valid header name") }
    return name
  }
}
