/// An extension that a client offers (RFC 6455 section 9.1).
struct WebSocketExtensionOffer: Equatable {
  struct Parameter: Equatable {
    var name: String
    var value: String?
  }

  var name: String
  var parameters: [Parameter] = []

  /// Reads the value of `Sec-WebSocket-Extensions`.
  ///
  /// - Returns: The offers in the client's order of preference; `nil` if the value is malformed.
  static func read(_ field: String) -> [Self]? {
    var reader = ExtensionReader(field)
    return reader.offers()
  }
}

/// Parses the field in one pass over its bytes.
private struct ExtensionReader {
  private var rest: Substring.UTF8View

  init(_ field: String) { rest = field[...].utf8 }

  mutating func offers() -> [WebSocketExtensionOffer]? {
    var offers: [WebSocketExtensionOffer] = []
    repeat {
      skipBlanks()
      // A list may have empty elements (RFC 9110 section 5.6.1).
      guard rest.first != UInt8(ascii: ","), !rest.isEmpty else { continue }
      guard let offer = offer() else { return nil }
      offers.append(offer)
    } while take(",")
    return rest.isEmpty && !offers.isEmpty ? offers : nil
  }

  private mutating func offer() -> WebSocketExtensionOffer? {
    guard let name = token() else { return nil }
    var offer = WebSocketExtensionOffer(name: name)
    while take(";") {
      skipBlanks()
      guard let name = token() else { return nil }
      var parameter = WebSocketExtensionOffer.Parameter(name: name)
      if take("=") {
        skipBlanks()
        guard let value = take("\"") ? quotedToken() : token() else { return nil }
        parameter.value = value
      }
      offer.parameters.append(parameter)
    }
    return offer
  }

  private mutating func token() -> String? {
    let token = rest.prefix(while: Self.isTokenByte)
    rest = rest[token.endIndex...]
    skipBlanks()
    return token.isEmpty ? nil : String(Substring(token))
  }

  /// A quoted value must also be a token, after its escapes are resolved.
  private mutating func quotedToken() -> String? {
    var bytes: [UInt8] = []
    while var byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") {
        skipBlanks()
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") {
        guard let escaped = rest.popFirst() else { return nil }
        byte = escaped
      }
      guard Self.isTokenByte(byte) else { return nil }
      bytes.append(byte)
    }
    return nil
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: mark) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func skipBlanks() {
    rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  /// RFC 9110 section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
