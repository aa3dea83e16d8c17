import SocketIOProtocol

/// The text of a seed or of scripts as it is given to the parser, which compares and hashes names before it returns any.
struct YAMLText {
  let text: String

  /// - Parameter maxSeparators: The most signs that may begin a part (``isSeparator(at:of:)``). They are counted before the parser makes
  ///   the parts, so some of them may stand in texts.
  /// - Throws: ``SeedError`` for a text that would cost too much time or memory.
  init(_ text: String, maxSeparators: Int) throws(SeedError) {
    let bytes = Array(text.utf8)
    if let name = Self.repeatedAlias(in: bytes) {
      throw SeedError(nil, "anchors and aliases (&\(name), *\(name)) are not allowed; write the part out")
    }
    guard Self.hasSeparators(bytes, atMost: maxSeparators) else {
      throw SeedError(nil, "more than \(maxSeparators) parts; remove some")
    }
    let joined = Self.joiningSurrogates(bytes)
    guard Self.unescaped(joined ?? bytes).isCheapToCompare else { throw SeedError.marks(nil) }
    self.text = joined.map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  // MARK: Parts

  private static func hasSeparators(_ bytes: [UInt8], atMost limit: Int) -> Bool {
    var count = 0
    for index in bytes.indices where isSeparator(at: index, of: bytes) {
      count += 1
      if count > limit { return false }
    }
    return true
  }

  /// Whether the parser may begin a part after this sign: it begins at most one value and one name after each.
  private static func isSeparator(at index: Int, of bytes: [UInt8]) -> Bool {
    switch bytes[index] {
    case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): return true
    case UInt8(ascii: ":"):
      // In JSON no blank has to follow.
      guard index > 0, index + 1 < bytes.count else { return true }
      return isBlank(bytes[index + 1]) || "\"'[]{},".utf8.contains(bytes[index - 1])
        || "[]{},\"'".utf8.contains(bytes[index + 1])
    case UInt8(ascii: "-"), UInt8(ascii: "?"): return index + 1 == bytes.count || isBlank(bytes[index + 1])
    default: return false
    }
  }

  /// A blank or break, or the first byte of a break of several bytes.
  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r") || byte >= 0x80
  }

  // MARK: Aliases

  /// The name of an anchor (`&`) or alias (`*`). Nested aliases could expand to more text than memory can hold.
  private static func repeatedAlias(in text: [UInt8]) -> String? {
    var (anchors, aliases) = (Set<ArraySlice<UInt8>>(), Set<ArraySlice<UInt8>>())
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      guard byte == UInt8(ascii: "&") || byte == UInt8(ascii: "*") else { continue }
      let start = index
      while index < text.count, isOfName(text[index]) { index += 1 }
      guard index > start else { continue }
      if byte == UInt8(ascii: "&") { anchors.insert(text[start..<index]) } else { aliases.insert(text[start..<index]) }
    }
    return anchors.first(where: aliases.contains).map { String(decoding: $0.prefix(shownName), as: UTF8.self) }
  }

  /// How many bytes of a name are shown in an error.
  private static let shownName = 100

  /// Whether libyaml accepts a byte in such a name.
  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  // MARK: Escapes

  /// The text with its escapes decoded, so that no letter has fewer marks here than in a part. Where the parser takes a backslash or `%`
  /// for itself, a letter may have more here.
  private static func unescaped(_ bytes: [UInt8]) -> String {
    guard bytes.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "%") }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      // Types of parts, `!name`, have bytes as %CC.
      case UInt8(ascii: "%"):
        if let byte = number(at: index + 1, digits: 2, of: bytes), byte >= 0x80 {
          result.append(UInt8(byte))
          index += 3
        } else {
          result.append(bytes[index])
          index += 1
        }
      case UInt8(ascii: "\\") where index + 1 < bytes.count:
        index = unescape(at: index + 1, of: bytes, into: &result)
      default:
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// - Parameter index: Of the byte after the backslash.
  /// - Returns: The index after the escape.
  private static func unescape(at index: Int, of bytes: [UInt8], into result: inout [UInt8]) -> Int {
    let digits =
      switch bytes[index] {
      case UInt8(ascii: "x"): 2
      case UInt8(ascii: "u"): 4
      case UInt8(ascii: "U"): 8
      default: 0
      }
    if digits > 0, let number = number(at: index + 1, digits: digits, of: bytes),
      let scalar = Unicode.Scalar(number)
    {
      result += Array(String(Character(scalar)).utf8)
      return index + 1 + digits
    }
    // An escaped break joins two lines without their blanks.
    let size = sizeOfBreak(at: index, of: bytes)
    if size > 0 {
      return bytes[(index + size)...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } ?? bytes.count
    }
    result.append(UInt8(ascii: "\\"))
    return bytes[index] < 0x80 ? index + 1 : index
  }

  private static func sizeOfBreak(at index: Int, of bytes: [UInt8]) -> Int {
    switch bytes[index] {
    case UInt8(ascii: "\r"): index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n") ? 2 : 1
    case UInt8(ascii: "\n"): 1
    case 0xC2: index + 1 < bytes.count && bytes[index + 1] == 0x85 ? 2 : 0
    case 0xE2:
      index + 2 < bytes.count && bytes[index + 1] == 0x80 && (bytes[index + 2] == 0xA8 || bytes[index + 2] == 0xA9)
        ? 3 : 0
    default: 0
    }
  }

  private static func number(at index: Int, digits: Int, of bytes: [UInt8]) -> UInt32? {
    guard index + digits <= bytes.count else { return nil }
    var number: UInt32 = 0
    for byte in bytes[index..<(index + digits)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      number = number << 4 | UInt32(digit)
    }
    return number
  }

  /// JSON writes characters beyond U+FFFF as two escapes, a surrogate pair, which YAML does not know: they become one. Nil if there are none.
  private static func joiningSurrogates(_ bytes: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    // The text up to the last examined escape.
    var copied = 0
    var index = 0
    while index + 1 < bytes.count {
      guard bytes[index] == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      if let high = unit(at: index, of: bytes), 0xD800..<0xDC00 ~= high, let low = unit(at: index + 6, of: bytes),
        0xDC00..<0xE000 ~= low
      {
        let hex = String(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), radix: 16, uppercase: true)
        result += bytes[copied..<index] + Array("\\U\(String(repeating: "0", count: 8 - hex.count))\(hex)".utf8)
        index += 12
        copied = index
      } else {
        // An escaped backslash does not begin an escape.
        index += 2
      }
    }
    return copied == 0 ? nil : result + bytes[copied...]
  }

  /// The number of an escape `\uXXXX`.
  private static func unit(at index: Int, of bytes: [UInt8]) -> UInt32? {
    guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
      return nil
    }
    return number(at: index + 2, digits: 4, of: bytes)
  }
}
