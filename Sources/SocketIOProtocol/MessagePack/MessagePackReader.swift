/// Reads MessagePack (msgpack.org, `spec.md`) item by item, with the extensions of notepack.io.
struct MessagePackReader {
  /// One item. For an array or a map it is only the head; their items follow.
  enum Item: Equatable {
    case null
    case bool(Bool)
    case signed(Int64)
    case unsigned(UInt64)
    case float(Double)
    case string(Range<Int>)
    case binary(Range<Int>)
    case array(Int)
    /// The number of pairs.
    case map(Int)
    /// Milliseconds since 1970; `nil` for a time that JavaScript cannot represent.
    case timestamp(Int64?)
    case other(type: Int8, Range<Int>)
  }

  let bytes: [UInt8]
  private(set) var index = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The number of unread bytes.
  var rest: Int { bytes.count - index }

  /// - Throws: `.badPayload` if the bytes end early, or declare more items than there can be: each item of an array takes at least one
  ///   byte.
  mutating func next() throws(SocketParseError) -> Item {
    let head = try byte()
    switch head {
    case 0x00...0x7f: return .unsigned(UInt64(head))
    case 0x80...0x8f: return try map(Int(head & 0x0f))
    case 0x90...0x9f: return try array(Int(head & 0x0f))
    case 0xa0...0xbf: return .string(try range(Int(head & 0x1f)))
    case 0xc0: return .null
    case 0xc2, 0xc3: return .bool(head == 0xc3)
    case 0xc4...0xc6: return .binary(try range(try length(head - 0xc4)))
    case 0xc7...0xc9: return try longExtension(try length(head - 0xc7))
    case 0xca: return .float(Double(Float(bitPattern: try integer(UInt32.self))))
    case 0xcb: return .float(Double(bitPattern: try integer(UInt64.self)))
    case 0xcc: return .unsigned(UInt64(try byte()))
    case 0xcd: return .unsigned(UInt64(try integer(UInt16.self)))
    case 0xce: return .unsigned(UInt64(try integer(UInt32.self)))
    case 0xcf: return .unsigned(try integer(UInt64.self))
    case 0xd0: return .signed(Int64(Int8(bitPattern: try byte())))
    case 0xd1: return .signed(Int64(try integer(Int16.self)))
    case 0xd2: return .signed(Int64(try integer(Int32.self)))
    case 0xd3: return .signed(try integer(Int64.self))
    case 0xd4...0xd8: return try fixedExtension(1 << Int(head - 0xd4))
    case 0xd9...0xdb: return .string(try range(try length(head - 0xd9)))
    case 0xdc, 0xdd: return try array(try length(head - 0xdc + 1))
    case 0xde, 0xdf: return try map(try length(head - 0xde + 1))
    case 0xe0...0xff: return .signed(Int64(Int8(bitPattern: head)))
    // 0xc1 is never used.
    default: throw .badPayload
    }
  }

  private mutating func byte() throws(SocketParseError) -> UInt8 {
    guard index < bytes.count else { throw .badPayload }
    defer { index += 1 }
    return bytes[index]
  }

  private mutating func integer<Value: FixedWidthInteger>(_: Value.Type) throws(SocketParseError) -> Value {
    var value: Value = 0
    for place in try range(Value.bitWidth / 8) { value = value << 8 | Value(truncatingIfNeeded: bytes[place]) }
    return value
  }

  /// A length of 1, 2 or 4 bytes.
  private mutating func length(_ size: UInt8) throws(SocketParseError) -> Int {
    switch size {
    case 0: Int(try byte())
    case 1: Int(try integer(UInt16.self))
    default: Int(try integer(UInt32.self))
    }
  }

  private mutating func range(_ length: Int) throws(SocketParseError) -> Range<Int> {
    guard length <= rest else { throw .badPayload }
    defer { index += length }
    return index..<index + length
  }

  private func array(_ count: Int) throws(SocketParseError) -> Item {
    guard count <= rest else { throw .badPayload }
    return .array(count)
  }

  private func map(_ count: Int) throws(SocketParseError) -> Item {
    guard count <= rest / 2 else { throw .badPayload }
    return .map(count)
  }

  // MARK: Extensions

  private mutating func longExtension(_ length: Int) throws(SocketParseError) -> Item {
    let type = Int8(bitPattern: try byte())
    let data = try range(length)
    switch (type, length) {
    // An ArrayBuffer of notepack.io before version 3.
    case (0, _): return .binary(data)
    case (MessagePackTimestamp.type, 12): return .timestamp(MessagePackTimestamp.milliseconds(bytes[data]))
    default: return .other(type: type, data)
    }
  }

  private mutating func fixedExtension(_ length: Int) throws(SocketParseError) -> Item {
    let type = Int8(bitPattern: try byte())
    let data = try range(length)
    switch (type, length) {
    // Undefined, and a Date, of notepack.io before version 3.
    case (0, 1): return .null
    case (0, 8): return .timestamp(MessagePackTimestamp.ofDate(bytes[data]))
    case (MessagePackTimestamp.type, 4), (MessagePackTimestamp.type, 8):
      return .timestamp(MessagePackTimestamp.milliseconds(bytes[data]))
    default: return .other(type: type, data)
    }
  }
}
