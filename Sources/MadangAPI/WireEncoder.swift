/// Writes objects as JSON the way every edition wants it: keys in declaration order, absent optionals as `null`,
/// integers without fraction, no blanks.
///
/// Foundation's encoder leaves out nil values and orders keys at random; clients break on the first and
/// bytes would differ between a reply and its event on the second.
public enum WireEncoder {
  /// The JSON of `value` as UTF-8.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    let output = JSONOutput()
    try JSONValueEncoder(output: output).write(value)
    return output.bytes
  }
}

private final class JSONOutput {
  var bytes: [UInt8] = []
  /// Whether the value being written has opened an object, and whether that still waits for its first key.
  var isObject = false
  var isFirstKey = false

  init() { bytes.reserveCapacity(256) }

  func raw(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

  func string(_ value: String) {
    var value = value
    bytes.append(UInt8(ascii: "\""))
    value.withUTF8 { utf8 in
      var start = 0
      for (index, byte) in utf8.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
        bytes.append(contentsOf: utf8[start..<index])
        start = index + 1
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
      bytes.append(contentsOf: utf8[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

private struct JSONValueEncoder: Encoder {
  let output: JSONOutput
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func write<T: Encodable>(_ value: T) throws {
    switch value {
    case let text as String: output.string(text)
    case let list as [String]: array(list) { output.string($0) }
    case let list as any JSONArray: try list.write(to: self)
    default:
      let outer = (output.isObject, output.isFirstKey)
      output.isObject = false
      let start = output.bytes.count
      try value.encode(to: self)
      if output.isObject { output.raw("}") } else if output.bytes.count == start { output.raw("{}") }
      (output.isObject, output.isFirstKey) = outer
    }
  }

  func array<Element>(_ list: [Element], _ write: (Element) throws -> Void) rethrows {
    output.raw("[")
    for (index, element) in list.enumerated() {
      if index > 0 { output.raw(",") }
      try write(element)
    }
    output.raw("]")
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    output.isObject = true
    output.isFirstKey = true
    output.raw("{")
    return KeyedEncodingContainer(ObjectEncoder<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    preconditionFailure("wire objects hold their lists as arrays, which are written directly")
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { ScalarEncoder(encoder: self) }
}

/// Arrays are recognised by this conformance: the standard library's own encoding would need an unkeyed container.
private protocol JSONArray {
  func write(to encoder: JSONValueEncoder) throws
}

extension Array: JSONArray where Element: Encodable {
  fileprivate func write(to encoder: JSONValueEncoder) throws {
    try encoder.array(self) { try encoder.write($0) }
  }
}

private struct ObjectEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: JSONValueEncoder
  var codingPath: [any CodingKey] { [] }
  private var output: JSONOutput { encoder.output }

  init(encoder: JSONValueEncoder) { self.encoder = encoder }

  private func key(_ key: Key) {
    if output.isFirstKey { output.isFirstKey = false } else { output.raw(",") }
    output.string(key.stringValue)
    output.raw(":")
  }

  mutating func encodeNil(forKey key: Key) {
    self.key(key)
    output.raw("null")
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    self.key(key)
    try encoder.write(value)
  }

  mutating func encode(_ value: String, forKey key: Key) {
    self.key(key)
    output.string(value)
  }

  mutating func encode(_ value: Int, forKey key: Key) {
    self.key(key)
    output.bytes.append(contentsOf: String(value).utf8)
  }

  mutating func encode(_ value: Int64, forKey key: Key) {
    self.key(key)
    output.bytes.append(contentsOf: String(value).utf8)
  }

  mutating func encode(_ value: Bool, forKey key: Key) {
    self.key(key)
    output.raw(value ? "true" : "false")
  }

  mutating func encodeIfPresent(_ value: String?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  mutating func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) -> KeyedEncodingContainer<N> {
    preconditionFailure("wire objects nest by value")
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    preconditionFailure("wire objects nest by value")
  }

  mutating func superEncoder() -> any Encoder { preconditionFailure("wire objects are structs") }

  mutating func superEncoder(forKey key: Key) -> any Encoder { preconditionFailure("wire objects are structs") }
}

private struct ScalarEncoder: SingleValueEncodingContainer {
  let encoder: JSONValueEncoder
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { encoder.output.raw("null") }
  func encode(_ value: Bool) { encoder.output.raw(value ? "true" : "false") }
  func encode(_ value: String) { encoder.output.string(value) }
  func encode<T: Encodable>(_ value: T) throws {
    if let integer = value as? any BinaryInteger {
      encoder.output.bytes.append(contentsOf: "\(integer)".utf8)
    } else {
      try encoder.write(value)
    }
  }
}
