/// A language of pages and mails.
package enum Language: String, CaseIterable, Sendable {
  case korean = "ko"
  case english = "en"

  /// Longer headers are read up to here, in bytes.
  private static let maxHeader = 1000

  /// The language that a reader prefers, of those with texts; nil if the reader accepts neither. Of equal weights the first one wins.
  /// - Parameter header: `Accept-Language`.
  package init?(accepted header: String?) {
    var best: (language: Language, weight: Double)?
    for range in (header ?? "").utf8.prefix(Self.maxHeader).split(separator: UInt8(ascii: ",")) {
      let parts = String(decoding: range, as: UTF8.self).lowercased().split(separator: ";").map { part in
        part.filter { !$0.isWhitespace }
      }
      guard let language = parts.first.flatMap({ Language(rawValue: String($0.prefix { $0 != "-" })) }) else {
        continue
      }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > best?.weight ?? 0 { best = (language, weight) }
    }
    guard let best else { return nil }
    self = best.language
  }
}
