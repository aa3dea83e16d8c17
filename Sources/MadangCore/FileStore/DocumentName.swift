import Foundation

/// The name of an uploaded document, as its path contains it (wire contract, File types): ASCII letters and digits, `-`, `_`, `.` and
/// `%XX`. It can be inserted into paths and headers without further encoding.
package struct DocumentName: Sendable {
  /// Limit in characters, as people count them.
  private static let maxCharacters = 80
  /// Limit in bytes before encoding: one letter may have many combining marks.
  private static let maxBytes = 640
  /// Used if nothing of a name can be kept.
  private static let fallback = "file"

  package let encoded: String

  /// Reads the name from a row.
  init(encoded: String) { self.encoded = encoded }

  /// - Parameter fileName: The name that a client sent: possibly a path, with or without an extension, in any script.
  init(ofFile fileName: String) {
    var name = Self.last(of: fileName)
    if let dot = name.lastIndex(of: ".") { name = name[..<dot] }
    let kept = String(String.UnicodeScalarView(name.unicodeScalars.filter(Self.isKept)))
    let trimmed = TextRules.normalized(kept).drop { $0 == "." || $0.isWhitespace }
    var (cut, bytes) = ("", 0)
    for character in trimmed.prefix(Self.maxCharacters) {
      bytes += character.utf8.count
      guard bytes <= Self.maxBytes else { break }
      cut.append(character)
    }
    while let last = cut.last, last.isWhitespace { cut.removeLast() }
    encoded = Self.percentEncoded(cut.isEmpty ? Self.fallback : cut)
  }

  /// The extension of a client's file name, in lower case; nil if it has none.
  static func fileExtension(of fileName: String) -> String? {
    let name = last(of: fileName)
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let text = name[name.index(after: dot)...].trimmingCharacters(in: .whitespaces).lowercased()
    return text.isEmpty ? nil : text
  }

  /// Some clients send whole paths, including paths of Windows.
  private static func last(of fileName: String) -> Substring {
    guard let slash = fileName.lastIndex(where: { $0 == "/" || $0 == "\\" }) else { return fileName[...] }
    return fileName[fileName.index(after: slash)...]
  }

  /// Drops control characters, line ends and marks that change the direction of text. Keeps the joiners of emoji.
  private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    case .format: scalar.value == 0x200D
    default: scalar.value != 0xFFFD && scalar != "/" && scalar != "\\"
    }
  }

  private static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a name in a request's path, percent-decoded once, is this name. Clients send it unchanged, or percent-encoded once more.
  func isMeant(by decoded: some StringProtocol) -> Bool {
    decoded.utf8.elementsEqual(encoded.utf8)
      || encoded.removingPercentEncoding?.utf8.elementsEqual(decoded.utf8) ?? false
  }
}
