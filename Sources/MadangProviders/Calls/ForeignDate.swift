import Foundation

extension Date {
  /// A date of another system (RFC 3339), with or without fractions of a second.
  init?(rfc3339 text: String) {
    let date =
      (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
      ?? (try? Date(text, strategy: .iso8601))
    guard let date else { return nil }
    self = date
  }
}
