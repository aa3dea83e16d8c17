import Foundation
import MadangAPI
import MadangCore
import MadangServer
import SocketIOProtocol

/// What a journal never tells, in the one place that knows: API keys, tokens, passwords, cookies and codes of links.
enum Secrets {
  static let mask = "***"

  /// So few that comparing a name with each is cheaper than hashing it.
  private static let headers = [
    HeaderName.apiKey.lowercased(), HeaderName.authorization.lowercased(), HeaderName.refreshToken.lowercased(),
    "cookie", "set-cookie", "proxy-authorization",
  ]

  /// Of JSON, forms and queries, in lower case and without `_` and `-`. A `token` is a secret, a `deviceToken` is none.
  private static let fields: Set<String> = [
    "password", "token", "accesstoken", "refreshtoken", "idtoken", "oauthtoken", "authorization", "cookie",
    HeaderName.apiKey.lowercased(),
  ]

  /// Behind one of these, as a segment of a link's path, stands the token of development calls or the code of a link.
  private static let segments = (["_dev"] + LinkPage.allCases.map(\.rawValue)).map { Array($0.utf8) }

  /// - Parameter name: In lower case.
  static func isHeader(_ name: String) -> Bool { headers.contains(name) }

  static func masked(_ fields: [(name: String, value: String)]) -> [JournalEntry.Header] {
    fields.map { name, value in
      .init(name: name, value: isHeader(name.lowercased()) || hasSecretPath(value) ? mask : value)
    }
  }

  /// Whether a link in a text may have a secret. A link within a link is encoded twice. Decoded as tolerantly as the server reads paths:
  /// one bad escape does not hide the others.
  private static func hasSecretPath(_ text: String) -> Bool {
    // Of bytes: with a mark behind it, a sign is another character.
    var bytes = Array(text.utf8)
    for _ in 0..<2 where bytes.contains(UInt8(ascii: "%")) { bytes = percentDecodedBytes(bytes) }
    return bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().dropLast()
      .contains { part in segments.contains { part.elementsEqual($0) } }
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

  /// Text in which the values of secret fields are masked, whatever it is: JSON, the beginning of JSON, a form, or neither.
  static func masked(_ text: [UInt8]) -> String {
    let first = text.first { !" \t\r\n".utf8.contains($0) }
    guard let first else { return String(decoding: text, as: UTF8.self) }
    return #"{[""#.utf8.contains(first) ? maskedJSON(text) : maskedPairs(maskedJSON(text))
  }

  /// A query, a form, or a namespace with its query, in which the values of secret fields are masked.
  static func maskedPairs(_ text: String) -> String {
    // Of bytes: with a mark behind it, a sign is another character.
    text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
      let whole = String(Substring(pair))
      guard let sign = pair.firstIndex(of: UInt8(ascii: "=")), pair.index(after: sign) < pair.endIndex else {
        return whole
      }
      // A namespace may stand before its query.
      let name = pair[..<sign].split(separator: UInt8(ascii: "?")).last.map { String(Substring($0)) } ?? ""
      return isSecret(percentDecoded(name.utf8, plusIsBlank: true)) ? "\(Substring(pair[..<sign]))=\(mask)" : whole
    }.joined(separator: "&")
  }

  /// JSON, or something with JSON in it, whose secret fields are masked: of lists and objects all that is in them. What is cut off
  /// within a value is masked to its end.
  static func maskedJSON(_ text: [UInt8]) -> String {
    var reader = SecretReader(text)
    return String(decoding: reader.masked(), as: UTF8.self)
  }
}

/// Copies JSON without its secrets. It follows strings and brackets only, so that no text is too broken for it.
private struct SecretReader {
  private let text: [UInt8]
  private var index = 0
  private var out: [UInt8] = []
  /// How many lists and objects are open within a secret value; 0 outside of one.
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

  /// The next byte that is no blank.
  private func next() -> UInt8? { text[index...].first { !Self.isBlank($0) } }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private mutating func mask() { out += Array("\"\(Secrets.mask)\"".utf8) }

  /// Behind the name of a secret field.
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

  /// A number or a literal; `null` tells nothing.
  private mutating func takeScalar() {
    let start = index
    let ends = Array(",]}\" \t\r\n".utf8)
    while index < text.count, !ends.contains(text[index]) { index += 1 }
    guard index > start else { return }
    if text[start..<index].elementsEqual("null".utf8) { out += text[start..<index] } else { mask() }
  }
}
