import Foundation

extension [UInt8] {
  /// Decodes URL-safe Base64 without padding (RFC 4648, section 5); nil for any other text.
  package init?(base64URL text: some StringProtocol) {
    // Works on bytes, because searching for a character costs the square of the marks on a letter.
    var base64 = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    base64 += [UInt8](repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)
    guard let data = Data(base64Encoded: Data(base64)) else { return nil }
    self = Array(data)
  }
}
