import Foundation

/// The name that a file which is no image keeps, as its path carries it (wire contract, File types): percent-encoded, of letters and
/// digits of ASCII, `-`, `_`, `.` and `%XX`. So it goes into paths and headers as it is.
package struct DocumentName: Sendable {
  /// As people count them.
  private static let maxCharacters = 80
  /// Before it is encoded: a letter may carry many marks.
  private static let maxBytes = 640
  /// Where nothing is left of a name.
  private static let fallback = "file"

  package let encoded: String

  /// Of a stored row.
  init(encoded: String) { self.encoded = encoded }

  /// - Parameter fileName: As a client sent it: a path, with or without an extension, of any letters.
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

  /// The extension of a client's file name in lower case; nil if it has none.
  static func fileExtension(of fileName: String) -> String? {
    let name = last(of: fileName)
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let text = name[name.index(after: dot)...].trimmingCharacters(in: .whitespaces).lowercased()
    return text.isEmpty ? nil : text
  }

  /// Some clients send whole paths, of Windows too.
  private static func last(of fileName: String) -> Substring {
    guard let slash = fileName.lastIndex(where: { $0 == "/" || $0 == "\\" }) else { return fileName[...] }
    return fileName[fileName.index(after: slash)...]
  }

  /// Without control characters, line ends, and those that turn the direction of what stands beside them. The joiners of emoji stay.
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

  /// Whether a name in a request's path, percent-decoded once, is this one: clients send it as it is, or percent-encoded once more.
  func isMeant(by decoded: some StringProtocol) -> Bool {
    decoded.utf8.elementsEqual(encoded.utf8)
      || encoded.removingPercentEncoding?.utf8.elementsEqual(decoded.utf8) ?? false
  }
}
