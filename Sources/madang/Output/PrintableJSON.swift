/// JSON for terminals.
enum PrintableJSON {
  /// Equal JSON with escapes for control characters that JSON allows, for line separators, and for signs that change the direction of text:
  /// texts of other people must not control the terminal, or change how the rest of the line reads.
  static func escaped(_ json: some Sequence<UInt8>) -> [UInt8] {
    let bytes = Array(json)
    // Beyond ASCII there are only strings.
    guard bytes.contains(where: { $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }) else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if isEscaped(scalar) {
        let hex = String(scalar.value, radix: 16)
        result += Array("\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)".utf8)
      } else {
        result += Array(String(Character(scalar)).utf8)
      }
    }
    return result
  }

  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    // Between values.
    case "\n", "\t", "\r": false
    // Marks of direction.
    case "\u{61C}", "\u{200E}"..."\u{200F}": true
    default: scalar.controlsTerminal
    }
  }
}
