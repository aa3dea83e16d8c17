import Foundation
import MadangAPI
import MadangCore
import MadangServer
import SocketIOProtocol

/// The one definition of the secrets that the journal masks: API keys, tokens, passwords, cookies and codes of links.
enum Secrets {
  static let mask = "***"

  /// So few names that comparing with each is cheaper than hashing.
  private static let headers = [
    HeaderName.apiKey.lowercased(), HeaderName.authorization.lowercased(), HeaderName.refreshToken.lowercased(),
    "cookie", "set-cookie", "proxy-authorization", "x-madang-proof",
  ]

  /// Names in JSON, forms and queries, in lower case without `_` and `-`. A `token` is a secret, a `deviceToken` is not.
  private static let fields: Set<String> = [
    "password", "token", "accesstoken", "refreshtoken", "idtoken", "oauthtoken", "authorization", "cookie", "proof",
    "invitation",
    HeaderName.apiKey.lowercased(),
  ]

  /// Path segments that are followed by the token of development calls or the code of a link.
  private static let segments = (["_dev"] + LinkPage.allCases.map(\.rawValue)).map { Array($0.utf8) }

  /// - Parameter name: In lower case.
  static func isHeader(_ name: String) -> Bool { headers.contains(name) }

  static func masked(_ fields: [(name: String, value: String)]) -> [JournalEntry.Header] {
    fields.map { name, value in
      .init(name: name, value: isHeader(name.lowercased()) || hasSecretPath(value) ? mask : value)
    }
  }

  /// Whether a link in a text may have a secret. A link within a link is encoded twice. Decoding is as tolerant as the
  /// server's reading of paths, so that one bad escape does not hide the others.
  private static func hasSecretPath(_ text: String) -> Bool {
    // By bytes, because a combining mark after a sign makes another character.
    var bytes = Array(text.utf8)
    for _ in 0..<2 where bytes.contains(UInt8(ascii: "%")) { bytes = percentDecodedBytes(bytes) }
    return bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().dropLast()
      .contains { part in segments.contains { part.elementsEqual($0) } }
  }

  /// A text in which the codes of links are masked.
  static func maskedLinks(_ text: String) -> String {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var masked = parts.prefix(1).map { String(Substring($0)) }
    for (page, part) in zip(parts, parts.dropFirst()) {
      let code = part.prefix { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
      let isSecret = LinkPage(rawValue: String(Substring(page))) != nil && LinkCode.hasForm(String(Substring(code)))
      masked.append(isSecret ? mask + String(Substring(part[code.endIndex...])) : String(Substring(part)))
    }
    return masked.joined(separator: "/")
  }

  /// A text without the server's token of development calls, also if parts of it are encoded.
  static func masked(_ text: String, token: String) -> String {
    let (bytes, token) = (Array(text.utf8), Array(token.utf8))
    guard bytes.count >= token.count else { return text }
    let masked = bytes.replacing(token, with: Array(mask.utf8))
    var decoded = masked
    for _ in 0..<2 where decoded.contains(UInt8(ascii: "%")) { decoded = percentDecodedBytes(decoded) }
    return decoded.contains(token) ? mask : String(decoding: masked, as: UTF8.self)
  }

  static func masked(_ query: QueryString) -> String {
    query.items.map { item in
      "\(percentEncoded(item.name))=\(isSecret(item.name) ? mask : percentEncoded(item.value))"
    }.joined(separator: "&")
  }

  static func isSecret(_ field: String) -> Bool {
    guard field.isCheapToCompare else { return false }
    return fields.contains(Fields.name(ofForm: field).lowercased().filter { $0 != "_" && $0 != "-" })
  }

  /// Text with masked values of secret fields: JSON, truncated JSON, a form, or any other text.
  static func masked(_ text: [UInt8]) -> String {
    let first = text.first { !" \t\r\n".utf8.contains($0) }
    guard let first else { return String(decoding: text, as: UTF8.self) }
    return #"{[""#.utf8.contains(first) ? maskedJSON(text) : maskedPairs(maskedJSON(text))
  }

  /// A query, a form, or a namespace with its query, with masked values of secret fields.
  static func maskedPairs(_ text: String) -> String {
    // By bytes, because a combining mark after a sign makes another character.
    text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
      let whole = String(Substring(pair))
      guard let sign = pair.firstIndex(of: UInt8(ascii: "=")), pair.index(after: sign) < pair.endIndex else {
        return whole
      }
      // There may be a namespace before its query.
      let name = pair[..<sign].split(separator: UInt8(ascii: "?")).last.map { String(Substring($0)) } ?? ""
      return isSecret(percentDecoded(name.utf8, plusIsBlank: true)) ? "\(Substring(pair[..<sign]))=\(mask)" : whole
    }.joined(separator: "&")
  }

  /// JSON, or text that contains JSON, with masked secret fields, including all content of lists and objects. A value that
  /// is cut off is masked to its end.
  static func maskedJSON(_ text: [UInt8]) -> String {
    var reader = SecretReader(text)
    return String(decoding: reader.masked(), as: UTF8.self)
  }
}

/// Copies JSON without its secrets. It follows only strings and brackets, so it accepts invalid JSON.
private struct SecretReader {
  private let text: [UInt8]
  private var index = 0
  private var out: [UInt8] = []
  /// The depth of lists and objects within a secret value; 0 outside of one.
  private var depth = 0

  init(_ text: [UInt8]) { self.text = text }

  mutating func masked() -> [UInt8] {
    out.reserveCapacity(text.count)
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "\"") {
        let string = takeString()
        let isKey = next() == UInt8(ascii: ":")
        if depth > 0, !isKey {
          mask()
        } else {
          out += text[string]
          if depth == 0, isKey, isSecret(string) { takeSecret() }
        }
      } else if depth > 0 {
        takeWithinSecret(byte)
      } else {
        out.append(byte)
        index += 1
      }
    }
    return out
  }

  private mutating func takeString() -> Range<Int> {
    let start = index
    index += 1
    while index < text.count, text[index] != UInt8(ascii: "\"") { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
    index = min(index + 1, text.count)
    return start..<index
  }

  private func isSecret(_ string: Range<Int>) -> Bool {
    guard string.count <= 258 else { return false }
    return SocketIOProtocol.JSONText.string(text[string]).map(Secrets.isSecret) ?? false
  }

  /// The next byte that is not a space.
  private func next() -> UInt8? { text[index...].first { !Self.isBlank($0) } }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private mutating func mask() { out += Array("\"\(Secrets.mask)\"".utf8) }

  /// After the name of a secret field.
  private mutating func takeSecret() {
    while index < text.count, text[index] == UInt8(ascii: ":") || Self.isBlank(text[index]) {
      out.append(text[index])
      index += 1
    }
    guard index < text.count else { return }
    switch text[index] {
    case UInt8(ascii: "\""):
      _ = takeString()
      mask()
    case UInt8(ascii: "{"), UInt8(ascii: "["): takeWithinSecret(text[index])
    default: takeScalar()
    }
  }

  private mutating func takeWithinSecret(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    case UInt8(ascii: ","), UInt8(ascii: ":"): break
    case _ where Self.isBlank(byte): break
    default: return takeScalar()
    }
    out.append(byte)
    index += 1
  }

  /// Masks a number or a literal; `null` reveals nothing.
  private mutating func takeScalar() {
    let start = index
    let ends = Array(",]}\" \t\r\n".utf8)
    while index < text.count, !ends.contains(text[index]) { index += 1 }
    guard index > start else { return }
    if text[start..<index].elementsEqual("null".utf8) { out += text[start..<index] } else { mask() }
  }
}
