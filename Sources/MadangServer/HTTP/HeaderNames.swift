import HTTPTypes
import MadangAPI
import MadangOperations

/// Header names that HTTPTypes does not know.
extension HTTPField.Name {
  package static let apiKey = own(HeaderName.apiKey)
  static let refreshToken = own(HeaderName.refreshToken)
  static let reason = own(HeaderName.reason)
  /// Why, in a word for pages of this server.
  static let pageWord = own("X-Madang-Why")
  package static let explanation = own("X-Madang-Explanation")
  static let doctor = own(DoctorProbe.header)
  static let forwarded = own("Forwarded")
  static let forwardedFor = own("X-Forwarded-For")
  static let forwardedProto = own("X-Forwarded-Proto")
  static let forwardedHost = own("X-Forwarded-Host")
  static let realIP = own("X-Real-IP")
  static let referer = own("Referer")
  package static let referrerPolicy = own("Referrer-Policy")
  static let secFetchSite = own("Sec-Fetch-Site")

  /// - Parameter text: A constant. Each test that uses the name fails if it is invalid.
  private static func own(_ text: String) -> Self {
    guard let name = Self(text) else { preconditionFailure("'\(text)' is not a valid header name") }
    return name
  }
}

extension HTTPFields {
  /// The same value as the subscript's, but for a single field without a copy of its text. For headers that are read at every request.
  func value(of name: HTTPField.Name) -> String? {
    guard let index = firstIndex(where: { $0.name == name }) else { return nil }
    return self[(index + 1)...].contains { $0.name == name } ? self[name] : self[index].value
  }
}
