/// Base64 (RFC 4648 section 4). Padding is written, and optional when reading.
public enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")
  private static let invalid: UInt8 = 0xff

  private static let values: [UInt8] = {
    var table = [UInt8](repeating: invalid, count: 256)
    for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
    return table
  }()

  /// Appends the base64 text of `bytes` to `text`.
  public static func encode(_ bytes: [UInt8], into text: inout [UInt8]) {
    text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let rest = bytes.count - index
      let b0 = bytes[index]
      let b1 = rest > 1 ? bytes[index + 1] : 0
      let b2 = rest > 2 ? bytes[index + 2] : 0
      text.append(alphabet[Int(b0 >> 2)])
      text.append(alphabet[Int((b0 & 0x03) << 4 | b1 >> 4)])
      text.append(rest > 1 ? alphabet[Int((b1 & 0x0f) << 2 | b2 >> 6)] : padding)
      text.append(rest > 2 ? alphabet[Int(b2 & 0x3f)] : padding)
      index += 3
    }
  }

  /// The bytes of a base64 text; `nil` if it is invalid.
  public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var digits = text
    while digits.last == padding, text.count - digits.count < 2 { digits.removeLast() }
    guard digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var bits: UInt32 = 0
    var count = 0
    for digit in digits {
      let value = values[Int(digit)]
      guard value != invalid else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
