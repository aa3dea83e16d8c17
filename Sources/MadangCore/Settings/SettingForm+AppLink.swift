import Foundation

extension SettingForm where Value == String {
  /// The URL of an app: of a web page, or with the app's own scheme.
  static var appLink: Self {
    Self(
      "write https://HOST/PATH, or a link of the app like madang://open", read: { isAppLink($0) ? $0 : nil },
      write: { $0 })
  }
}

/// Schemes that make a browser run or show what the link itself contains.
private let refusedSchemes: Set<String> = ["javascript", "vbscript", "data", "blob", "file", "about"]

private func isAppLink(_ text: String) -> Bool {
  guard !text.isEmpty else { return true }
  guard text.utf8.count <= 2000, let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
    !refusedSchemes.contains(scheme), text.dropFirst(scheme.count).hasPrefix("://")
  else { return false }
  return !["http", "https"].contains(scheme) || parts.encodedHost?.isEmpty == false
}
