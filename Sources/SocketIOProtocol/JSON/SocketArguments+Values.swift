#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SocketArguments {
  /// Arguments made of values, each encoded as JSON with the defaults of `JSONEncoder`, but slashes as they are.
  ///
  /// - Throws: `EncodingError`.
  public init<each Value: Encodable>(encoding values: repeat each Value) throws {
    var texts: [[UInt8]] = []
    for value in repeat each values { texts.append(try JSONText.encoded(value)) }
    self.init(texts)
  }

  /// The argument at `index` as a value.
  ///
  /// - Throws: `DecodingError` if there is none, or it is no such value.
  public func decode<Value: Decodable>(_ type: Value.Type, at index: Int = 0) throws -> Value {
    guard values.indices.contains(index) else {
      throw DecodingError.valueNotFound(type, .init(codingPath: [], debugDescription: "there is no argument \(index)"))
    }
    return try ForeignJSON.decode(type, from: values[index])
  }
}

extension JSONText {
  /// A value as JSON.
  package static func encoded(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return Array(try encoder.encode(value))
  }
}
