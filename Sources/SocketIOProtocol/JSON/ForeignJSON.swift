#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Decodes untrusted JSON.
public enum ForeignJSON {
  /// The most levels of nested arrays and objects. Foundation's decoder accepts 512 levels and crashes the process at 513.
  public static let maxDepth = 100
  /// The longest key in bytes. The time to hash a key grows with the square of the number of combining marks on one letter.
  public static let maxKeySize = 256

  /// Whether the bytes are JSON that Foundation's decoder can handle safely.
  public static func isSafe(_ bytes: [UInt8]) -> Bool {
    // This also means that they are UTF-8. Foundation's decoder accepts other encodings too, in which nesting would look different.
    JSONScanner.isValue(bytes, within: .init(depth: maxDepth, keySize: maxKeySize))
  }

  /// Whether comparing and hashing each text in the JSON costs no more than its length.
  public static func hasComparableTexts(_ bytes: [UInt8]) -> Bool {
    JSONScanner.isValue(bytes, within: .init(hasComparableTexts: true))
  }

  /// Decodes a value.
  ///
  /// - Parameter attachments: The attachments that placeholders refer to, where `Data` is decoded.
  /// - Throws: `DecodingError` if the bytes do not decode as this type, or exceed a limit.
  public static func decode<Value: Decodable>(
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
      // Made once, so that all placeholders of an attachment share its bytes.
      let attachments = attachments.map { Data($0) }
      decoder.dataDecodingStrategy = .custom { try data(from: $0, attachments) }
    }
    return try decoder.decode(type, from: Data(bytes))
  }

  /// Decodes an attachment, or Base64.
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
