import Foundation
import SocketIOProtocol

enum JSONText {
  /// With sorted keys and no blanks, as the thumbprint of a key needs it.
  static func bytes(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }

  /// Decodes an answer of an authority within limits of depth and keys.
  static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try ForeignJSON.decode(type, from: bytes)
  }
}
