/// Encodes objects as JSON in the form that every edition requires: keys in declaration order, absent optionals as `null`, integers without
/// fraction, no blanks.
///
/// Foundation's encoder omits nil values, which breaks clients, and orders keys at random, so that a reply and its event would have
/// different bytes.
public enum WireEncoder {
  /// The JSON of `value` as UTF-8.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    let output = JSONOutput()
    try JSONValueEncoder(output: output).write(value)
    return output.text.bytes
  }

  /// The JSON of an object that writes itself.
  @inlinable
  public static func encode(_ object: some WireObject) -> [UInt8] { elements(CollectionOfOne(object)) }

  /// The JSON of all objects, separated by commas: an array without its brackets.
  @inlinable
  public static func elements(_ objects: some Sequence<some WireObject>) -> [UInt8] {
    var json = JSONWriter()
    for object in objects { json.element(object) }
    return json.bytes
  }
}

/// The output so far. It is a class, because encoders are values that write to one place. Each operation is a single call, because every
/// access to a class's property is checked.
private final class JSONOutput {
  private(set) var text = JSONWriter()
  /// Whether the current value has opened an object.
  var isObject = false
  /// The last type that was found not to be an array: lists contain many values of one type.
  var plainType: ObjectIdentifier?

  func raw(_ literal: StaticString) { text.raw(literal) }
  func string(_ value: String) { text.string(value) }
  func number(_ value: some BinaryInteger) { text.number(value) }
  func number(_ value: Double) { text.number(value) }
  func key(_ key: String) { text.key(key) }
}

private struct JSONValueEncoder: Encoder {
  let output: JSONOutput
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func write<T: Encodable>(_ value: T) throws {
    // Compares types first, because a cast looks up the conformance each time.
    if let text = value as? String { return output.string(text) }
    if let list = value as? [String] { return array(list) { output.string($0) } }
    if output.plainType != ObjectIdentifier(T.self) {
      if let list = value as? any JSONArray { return try list.write(to: self) }
      // A nil optional says nothing about the next value.
      if !(T.self is any ExpressibleByNilLiteral.Type) { output.plainType = ObjectIdentifier(T.self) }
    }
    let outer = output.isObject
    output.isObject = false
    let start = output.text.bytes.count
    try value.encode(to: self)
    if output.isObject { output.raw("}") } else if output.text.bytes.count == start { output.raw("{}") }
    output.isObject = outer
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
    output.raw("{")
    return KeyedEncodingContainer(ObjectEncoder<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    preconditionFailure("wire objects hold their lists as arrays, which are written directly")
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { ScalarEncoder(encoder: self) }
}

/// Marks arrays: the standard library's own encoding would need an unkeyed container.
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
    output.key(key.stringValue)
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
    output.number(value)
  }

  mutating func encode(_ value: Int64, forKey key: Key) {
    self.key(key)
    output.number(value)
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

  mutating func encodeIfPresent(_ value: Int?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
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
  func encode(_ value: Double) { encoder.output.number(value) }
  func encode<T: Encodable>(_ value: T) throws {
    if let integer = value as? any BinaryInteger {
      encoder.output.number(integer)
    } else {
      try encoder.write(value)
    }
  }
}
