/// Validates JSON (RFC 8259) and finds the boundaries of elements and members, without building values.
///
/// Nesting costs one bit per level, so depth is limited only by the length of the text.
public struct JSONScanner: ~Copyable {
  let bytes: [UInt8]
  var index: Int
  /// The number of values begun so far, including nested ones.
  private(set) var valueCount = 0

  init(_ bytes: [UInt8], at index: Int = 0) {
    self.bytes = bytes
    self.index = index
  }

  /// Whether the bytes are exactly one JSON value.
  public static func isValue(_ bytes: [UInt8]) -> Bool { isValue(bytes, within: Limits()) }

  /// The limits of a value.
  struct Limits {
    /// Levels of nested arrays and objects.
    var depth = Int.max
    /// The bytes of a key in its written form, with its quotes.
    var keySize = Int.max
    /// The number of strings, numbers, booleans, nulls, arrays and objects, including nested ones; keys do not count.
    var values = Int.max
    /// Whether characters of more than 256 bytes are forbidden in texts, because they would take too long to compare.
    var hasComparableTexts = false
  }

  /// Whether the bytes are exactly one JSON value within limits.
  static func isValue(_ bytes: [UInt8], within limits: Limits) -> Bool {
    var scanner = JSONScanner(bytes)
    return scanner.skipOnlyValue(within: limits)
  }

  /// Skips one value within limits, which must be the rest of the bytes.
  mutating func skipOnlyValue(within limits: Limits) -> Bool {
    guard skipValue(within: limits) else { return false }
    skipSpace()
    return index == bytes.count
  }

  /// The ranges of an array's elements; `nil` if the bytes are not exactly one JSON array.
  public static func elements(ofArray bytes: [UInt8]) -> [Range<Int>]? {
    var ranges: [Range<Int>] = []
    var scanner = JSONScanner(bytes)
    scanner.skipSpace()
    guard scanner.take(UInt8(ascii: "[")) else { return nil }
    scanner.skipSpace()
    if !scanner.take(UInt8(ascii: "]")) {
      repeat {
        scanner.skipSpace()
        let start = scanner.index
        guard scanner.skipValue() else { return nil }
        ranges.append(start..<scanner.index)
        scanner.skipSpace()
      } while scanner.take(UInt8(ascii: ","))
      guard scanner.take(UInt8(ascii: "]")) else { return nil }
    }
    scanner.skipSpace()
    return scanner.index == bytes.count ? ranges : nil
  }

  /// A member of a JSON object: its key, unescaped, and the range of its value.
  public struct Member: Equatable, Sendable {
    public var key: String
    public var value: Range<Int>
  }

  /// The members of an object in their order; `nil` if the bytes are not exactly one JSON object. Members whose key has a character of more
  /// than 256 bytes are left out, because such a key would take too long to compare.
  public static func members(ofObject bytes: [UInt8]) -> [Member]? {
    var members: [Member] = []
    var scanner = JSONScanner(bytes)
    scanner.skipSpace()
    guard scanner.take(UInt8(ascii: "{")) else { return nil }
    scanner.skipSpace()
    if !scanner.take(UInt8(ascii: "}")) {
      repeat {
        scanner.skipSpace()
        let keyStart = scanner.index
        guard scanner.skipString(), let key = JSONText.string(bytes[keyStart..<scanner.index]) else { return nil }
        scanner.skipSpace()
        guard scanner.take(UInt8(ascii: ":")) else { return nil }
        scanner.skipSpace()
        let start = scanner.index
        guard scanner.skipValue() else { return nil }
        if key.isCheapToCompare { members.append(Member(key: key, value: start..<scanner.index)) }
        scanner.skipSpace()
      } while scanner.take(UInt8(ascii: ","))
      guard scanner.take(UInt8(ascii: "}")) else { return nil }
    }
    scanner.skipSpace()
    return scanner.index == bytes.count ? members : nil
  }

  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { index += 1 }
  }

  /// Skips one value of any depth without recursion, so that no input can exhaust the stack.
  mutating func skipValue(within limits: Limits = Limits()) -> Bool {
    var open = BitStack()
    repeat {
      skipSpace()
      guard let byte = next else { return false }
      valueCount += 1
      guard valueCount <= limits.values else { return false }
      switch byte {
      case UInt8(ascii: "{"):
        guard open.count < limits.depth else { return false }
        index += 1
        skipSpace()
        if !take(UInt8(ascii: "}")) {
          guard skipKey(limits) else { return false }
          open.push(true)
          continue
        }
      case UInt8(ascii: "["):
        guard open.count < limits.depth else { return false }
        index += 1
        skipSpace()
        if !take(UInt8(ascii: "]")) {
          open.push(false)
          continue
        }
      default:
        let start = index
        guard skipScalar(byte) else { return false }
        // A shorter text cannot contain such a character.
        if limits.hasComparableTexts, byte == UInt8(ascii: "\""), index - start > 256,
          !(JSONText.string(bytes[start..<index])?.isCheapToCompare ?? false)
        {
          return false
        }
      }
      guard closeFinished(&open, limits) else { return false }
    } while !open.isEmpty
    return true
  }

  /// After a value: consumes closing brackets until a comma announces another value or everything is closed.
  private mutating func closeFinished(_ open: inout BitStack, _ limits: Limits) -> Bool {
    while let isObject = open.top {
      skipSpace()
      if take(UInt8(ascii: ",")) {
        skipSpace()
        return isObject ? skipKey(limits) : true
      }
      guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
      open.pop()
    }
    return true
  }

  private mutating func skipKey(_ limits: Limits) -> Bool {
    let start = index
    guard skipString(), index - start <= limits.keySize else { return false }
    skipSpace()
    return take(UInt8(ascii: ":"))
  }
}
