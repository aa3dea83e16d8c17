/// What the text of a manifest must be before Foundation decodes it.
enum ManifestText {
  /// Arrays and objects inside each other. A manifest has four levels; Foundation's decoder ends the process at 513.
  static let maxDepth = 16
  /// Bytes of a string. Hashing a key costs the square of the combining marks on one letter.
  static let maxString = 4096

  /// Whether the bytes are UTF-8 whose brackets and strings stay within the limits. Whether they are JSON is for the decoder to
  /// find out. A zero byte is refused: Foundation takes it for a sign of UTF-16, where nesting looks different.
  static func isSafe(_ bytes: [UInt8]) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    var depth = 0
    // Where the string that is open begins.
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
