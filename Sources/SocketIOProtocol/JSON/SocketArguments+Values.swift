import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SocketArguments {
  /// Encodes each value as one argument, as JSON with the defaults of `JSONEncoder`, but without escaping slashes.
  ///
  /// Bytes become binary attachments: an argument of type `[UInt8]`, and `Data` at any depth. Nested `[UInt8]` is an array of numbers.
  ///
  /// - Throws: `EncodingError`.
  public init<each Value: Encodable>(encoding values: repeat each Value) throws {
    let attachments = AttachmentList()
    let encoder = JSONText.encoder()
    encoder.dataEncodingStrategy = .custom { data, encoder in
      try attachments.add(Array(data)).encode(to: encoder)
    }
    var texts: [[UInt8]] = []
    for value in repeat each values {
      if let bytes = Self.bytes(value) {
        texts.append(attachments.add(bytes).json)
      } else {
        texts.append(Array(try encoder.encode(value)))
      }
    }
    self.init(texts, attachments: attachments.all)
  }

  /// Decodes the argument at `index`. `[UInt8]` as the whole argument, and `Data` at any depth, are decoded from a binary attachment. If
  /// the sender sent no attachment, `[UInt8]` is decoded from an array of numbers and `Data` from Base64.
  ///
  /// - Throws: `DecodingError` if there is none, or it has another type.
  public func decode<Value: Decodable>(_ type: Value.Type, at index: Int = 0) throws -> Value {
    guard values.indices.contains(index) else {
      throw DecodingError.valueNotFound(type, .init(codingPath: [], debugDescription: "there is no argument \(index)"))
    }
    if !attachments.isEmpty, type == [UInt8].self || type == [UInt8]?.self,
      let placeholder = try? ForeignJSON.decode(BinaryPlaceholder.self, from: values[index]),
      let value = attachment(for: placeholder) as? Value
    {
      return value
    }
    return try ForeignJSON.decode(type, from: values[index], attachments: attachments)
  }

  /// Decodes the first arguments.
  public func decodeFirst<each Value: Decodable>(_ types: repeat (each Value).Type) throws -> (repeat each Value) {
    var index = 0
    func next<Next: Decodable>(_ type: Next.Type) throws -> Next {
      defer { index += 1 }
      return try decode(type, at: index)
    }
    return (repeat try next(each types))
  }

  /// Compares types, because an empty array of any element can be cast to bytes.
  private static func bytes<Value>(_ value: Value) -> [UInt8]? {
    Value.self == [UInt8].self || Value.self == [UInt8]?.self ? value as? [UInt8] : nil
  }
}

/// Collects the attachments of arguments during encoding.
private final class AttachmentList: Sendable {
  private let list = Mutex<[[UInt8]]>([])

  var all: [[UInt8]] { list.withLock { $0 } }

  func add(_ bytes: [UInt8]) -> BinaryPlaceholder {
    list.withLock { list in
      list.append(bytes)
      return BinaryPlaceholder(list.count - 1)
    }
  }
}

extension JSONText {
  /// Encodes a value as JSON.
  public static func encoded(_ value: some Encodable) throws -> [UInt8] {
    Array(try encoder().encode(value))
  }

  fileprivate static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return encoder
  }
}
