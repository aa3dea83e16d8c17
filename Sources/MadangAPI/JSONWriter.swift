/// An object that writes its JSON itself, because it is sent often: the containers of `Encodable` cost many times as much.
public protocol WireObject: Encodable {
  /// Writes all fields in the order of their declaration. The bytes must equal those of ``WireEncoder`` for its `encode(to:)`.
  func writeFields(to json: inout JSONWriter)
}

/// Builds JSON text.
public struct JSONWriter {
  public private(set) var bytes: [UInt8] = []

  public init() { bytes.reserveCapacity(256) }

  // MARK: Objects that write themselves

  /// Appends an object to a list of objects, separated by commas.
  public mutating func element(_ object: some WireObject) {
    if !bytes.isEmpty { comma() }
    self.object(object)
  }

  private mutating func object(_ object: some WireObject) {
    raw("{")
    object.writeFields(to: &self)
    raw("}")
  }

  mutating func field(_ key: some CodingKey, _ value: String) {
    self.key(key.stringValue)
    string(value)
  }

  mutating func field(_ key: some CodingKey, _ value: String?) {
    self.key(key.stringValue)
    if let value { string(value) } else { raw("null") }
  }

  mutating func field(_ key: some CodingKey, _ value: some BinaryInteger) {
    self.key(key.stringValue)
    number(value)
  }

  mutating func field(_ key: some CodingKey, _ list: [String]) {
    self.key(key.stringValue)
    raw("[")
    for (index, text) in list.enumerated() {
      if index > 0 { comma() }
      string(text)
    }
    raw("]")
  }

  mutating func field(_ key: some CodingKey, _ object: some WireObject) {
    self.key(key.stringValue)
    self.object(object)
  }

  private mutating func comma() { bytes.append(UInt8(ascii: ",")) }

  // MARK: Values

  mutating func raw(_ literal: StaticString) { literal.withUTF8Buffer { bytes.append(contentsOf: $0) } }

  /// Appends the next key of the current object.
  mutating func key(_ key: String) {
    // No value ends with this byte.
    if bytes.last != UInt8(ascii: "{") { comma() }
    string(key)
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func number(_ value: some BinaryInteger) { bytes.append(contentsOf: String(value).utf8) }

  /// JSON has no infinity: it becomes `null`.
  mutating func number(_ value: Double) {
    if value.isFinite { bytes.append(contentsOf: value.description.utf8) } else { raw("null") }
  }

  mutating func string(_ value: String) {
    var value = value
    bytes.append(UInt8(ascii: "\""))
    value.withUTF8 { escaped($0) }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escaped(_ utf8: UnsafeBufferPointer<UInt8>) {
    var rest = utf8[...]
    while let index = rest.firstToEscape {
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: rest[..<index]))
      escape(rest[index])
      rest = rest[(index + 1)...]
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: rest))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x22: raw("\\\"")
    case 0x5C: raw("\\\\")
    case 0x0A: raw("\\n")
    case 0x0D: raw("\\r")
    case 0x09: raw("\\t")
    default:
      let hex: (UInt8) -> UInt8 = { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }
      raw("\\u00")
      bytes.append(hex(byte >> 4))
      bytes.append(hex(byte & 15))
    }
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// The index of the first byte that must be escaped in a JSON string.
  fileprivate var firstToEscape: Int? {
    var index = startIndex
    // Checks eight bytes at a time, because nearly all text needs no escape.
    while endIndex - index >= 8,
      !UnsafeRawBufferPointer(base).loadUnaligned(fromByteOffset: index, as: UInt64.self).hasByteToEscape
    {
      index += 8
    }
    while index < endIndex {
      if base[index].mustBeEscaped { return index }
      index += 1
    }
    return nil
  }
}

extension UInt8 {
  /// Whether JSON requires an escape for this byte in a string (RFC 8259 section 7).
  fileprivate var mustBeEscaped: Bool { self < 0x20 || self == 0x22 || self == 0x5C }
}

extension UInt64 {
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// Whether one of the eight bytes must be escaped.
  fileprivate var hasByteToEscape: Bool {
    hasByte(below: 0x20) || (self ^ Self.ones &* 0x22).hasByte(below: 1) || (self ^ Self.ones &* 0x5C).hasByte(below: 1)
  }

  /// Whether one of its eight bytes is smaller than `limit`, which must be at most 128. Only such a byte starts a borrow. The borrow may
  /// mark higher bytes too, so the result does not show which byte it is.
  private func hasByte(below limit: UInt64) -> Bool {
    (self &- Self.ones &* limit) & ~self & (Self.ones &* 0x80) != 0
  }
}
