import Foundation

/// URL-safe Base64 without padding (RFC 4648, section 5), in which ACME writes binary values.
enum Base64URL {
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    let base64 = Data(Array(bytes)).base64EncodedString()
    return String(
      decoding: base64.utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
      }, as: UTF8.self)
  }

  /// Nil if the text is not Base64. Padding and the ordinary alphabet are accepted: authorities hand out keys in both forms.
  static func bytes(_ text: String) -> [UInt8]? {
    var base64 = text.utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    base64 += [UInt8](repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)
    return Data(base64Encoded: Data(base64)).map(Array.init)
  }

  /// Whether this is a token of a challenge (RFC 8555, section 8): it becomes part of a path.
  static func isToken(_ text: String) -> Bool {
    (1...maxToken).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  private static let maxToken = 256
}
