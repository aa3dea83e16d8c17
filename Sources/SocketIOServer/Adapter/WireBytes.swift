import SocketIOProtocol

/// Builds the bytes of a message between servers: numbers in groups of seven bits, everything else with its length in front.
struct WireWriter {
  private(set) var bytes: [UInt8] = []
  /// The number of elements in all lists together.
  private(set) var elements = 0

  mutating func write(byte: UInt8) { bytes.append(byte) }

  mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func write(_ value: [UInt8]) {
    write(UInt64(value.count))
    bytes += value
  }

  mutating func write(_ text: String) {
    write(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  mutating func write<Element>(list: some Collection<Element>, _ body: (inout WireWriter, Element) -> Void) {
    write(UInt64(list.count))
    elements += list.count
    for element in list { body(&self, element) }
  }

  mutating func write<Value>(optional value: Value?, _ body: (inout WireWriter, Value) -> Void) {
    write(value != nil)
    if let value { body(&self, value) }
  }
}

/// Why bytes are not a valid cluster message.
enum WireFlaw: Error, Equatable {
  case unknownVersion(UInt8)
  case unknownKind(UInt8)
  case malformed
}

/// Reads the output of `WireWriter`. The bytes are untrusted: every read is checked, and the memory it takes is bounded by the number of
/// bytes and by `maxElements`.
struct WireReader {
  /// The most elements in all lists of a message together.
  static let maxElements = 262_144

  private var rest: ArraySlice<UInt8>
  private var elements = Self.maxElements

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() throws(WireFlaw) -> UInt8 {
    guard let byte = rest.popFirst() else { throw .malformed }
    return byte
  }

  mutating func flag() throws(WireFlaw) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw .malformed
    }
  }

  mutating func number() throws(WireFlaw) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let byte = try byte()
      let bits = UInt64(byte & 0x7f)
      guard (bits << shift) >> shift == bits else { throw .malformed }
      number |= bits << shift
      if byte < 0x80 { return number }
    }
    throw .malformed
  }

  mutating func bytes() throws(WireFlaw) -> [UInt8] {
    guard let count = Int(exactly: try number()), count <= rest.count else { throw .malformed }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Reads a text that may become a key: comparing it costs no more than its length.
  mutating func text() throws(WireFlaw) -> String {
    guard let text = String(validating: try bytes(), as: UTF8.self), text.isCheapToCompare else { throw .malformed }
    return text
  }

  /// Reads a text that never becomes a key.
  mutating func freeText() throws(WireFlaw) -> String {
    guard let text = String(validating: try bytes(), as: UTF8.self) else { throw .malformed }
    return text
  }

  mutating func list<Element>(
    _ read: (inout WireReader) throws(WireFlaw) -> Element
  ) throws(WireFlaw) -> [Element] {
    guard let count = Int(exactly: try number()), count <= min(rest.count, elements) else { throw .malformed }
    elements -= count
    var list: [Element] = []
    for _ in 0..<count { list.append(try read(&self)) }
    return list
  }

  mutating func optional<Value>(
    _ read: (inout WireReader) throws(WireFlaw) -> Value
  ) throws(WireFlaw) -> Value? {
    try flag() ? try read(&self) : nil
  }
}
