#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// JSON that others wrote, to be read as values.
package enum ForeignJSON {
  /// Foundation's decoder takes 512 levels of arrays and objects, and ends the process at 513 instead of throwing.
  package static let maxDepth = 100

  /// A value from its JSON.
  ///
  /// - Throws: `DecodingError` when the bytes are no such value, or nest arrays and objects deeper than ``maxDepth``.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
  ) throws -> Value {
    // What passes is UTF-8 as well: Foundation's decoder reads other encodings, in which nesting would look different.
    guard JSONScanner.isValue(bytes, maxDepth: maxDepth) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "no JSON value, or one nested deeper than \(maxDepth) levels"))
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = keys
    return try decoder.decode(type, from: Data(bytes))
  }
}
