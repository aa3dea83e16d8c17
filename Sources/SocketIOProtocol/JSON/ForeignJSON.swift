#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// JSON that others wrote, to be read as values.
package enum ForeignJSON {
  /// Arrays and objects within each other. Foundation's decoder takes 512 levels and ends the process at 513.
  package static let maxDepth = 100
  /// Bytes of a key. To hash one takes the square of the number of marks on one of its letters.
  package static let maxKeySize = 256

  /// Whether the bytes are JSON that a decoder of Foundation's may be given.
  package static func isSafe(_ bytes: [UInt8]) -> Bool {
    // It is UTF-8, then: Foundation's decoder reads other encodings, in which nesting would look different.
    JSONScanner.isValue(bytes, within: .init(depth: maxDepth, keySize: maxKeySize))
  }

  /// Whether each text in such bytes costs no more than its length to compare and to hash.
  package static func hasComparableTexts(_ bytes: [UInt8]) -> Bool {
    JSONScanner.isValue(bytes, within: .init(hasComparableTexts: true))
  }

  /// A value from its JSON.
  ///
  /// - Parameter attachments: What placeholders stand for where `Data` is decoded.
  /// - Throws: `DecodingError` when the bytes are no such value, or pass a limit.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys,
    attachments: [[UInt8]] = []
  ) throws -> Value {
    guard isSafe(bytes) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: [],
          debugDescription:
            "no JSON value, or one nested deeper than \(maxDepth) levels or with keys over \(maxKeySize) bytes"))
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = keys
    if !attachments.isEmpty {
      // Made once: all placeholders of an attachment share its bytes, however many there are.
      let attachments = attachments.map { Data($0) }
      decoder.dataDecodingStrategy = .custom { try data(from: $0, attachments) }
    }
    return try decoder.decode(type, from: Data(bytes))
  }

  /// An attachment, or Base64.
  private static func data(from decoder: any Decoder, _ attachments: [Data]) throws -> Data {
    if let placeholder = try? BinaryPlaceholder(from: decoder) {
      if attachments.indices.contains(placeholder.number) { return attachments[placeholder.number] }
    } else if let data = Data(base64Encoded: try decoder.singleValueContainer().decode(String.self)) {
      return data
    }
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "neither an attachment nor Base64"))
  }
}
