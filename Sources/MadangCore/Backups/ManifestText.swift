/// Limits that the text of a manifest must keep before Foundation decodes it.
enum ManifestText {
  /// Levels of nesting. A manifest has four; Foundation's decoder crashes the process at 513.
  static let maxDepth = 16
  /// Largest string, in bytes. The cost of hashing a key grows with the square of the combining marks on one letter.
  static let maxString = 4096

  /// Whether the bytes are UTF-8 and their nesting and strings stay within the limits. Whether they are valid JSON is left to the decoder.
  /// Zero bytes are refused: Foundation would guess UTF-16, in which nesting looks different.
  static func isSafe(_ bytes: [UInt8]) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    var depth = 0
    // Where the open string starts.
    var string: Int?
    var isEscaped = false
    for (index, byte) in bytes.enumerated() {
      guard byte != 0 else { return false }
      if let start = string {
        guard index - start <= maxString else { return false }
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          string = nil
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): string = index
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      guard depth <= maxDepth else { return false }
    }
    return true
  }
}
