extension JSONScanner {
  /// Skips a value that is neither an array nor an object; `byte` is its first.
  mutating func skipScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""): skipString()
    case UInt8(ascii: "t"): skipLiteral("true")
    case UInt8(ascii: "f"): skipLiteral("false")
    case UInt8(ascii: "n"): skipLiteral("null")
    default: skipNumber()
    }
  }

  private mutating func skipLiteral(_ literal: StaticString) -> Bool {
    let end = index + literal.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    for offset in 0..<literal.utf8CodeUnitCount where bytes[index + offset] != literal.utf8Start[offset] {
      return false
    }
    index = end
    return true
  }

  mutating func skipString() -> Bool {
    guard take(UInt8(ascii: "\"")) else { return false }
    while let byte = next {
      index += 1
      if byte == UInt8(ascii: "\"") { return true }
      if byte < 0x20 { return false }
      if byte == UInt8(ascii: "\\"), !skipEscape() { return false }
    }
    return false
  }

  private mutating func skipEscape() -> Bool {
    guard let byte = next else { return false }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard let digit = next, JSONText.hexValue(digit) != nil else { return false }
        index += 1
      }
      return true
    default:
      return false
    }
  }

  private mutating func skipNumber() -> Bool {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")), skipDigits() == 0 { return false }
    if take(UInt8(ascii: ".")), skipDigits() == 0 { return false }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      if skipDigits() == 0 { return false }
    }
    return true
  }

  private mutating func skipDigits() -> Int {
    let start = index
    while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
    return index - start
  }
}
