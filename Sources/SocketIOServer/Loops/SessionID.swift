/// Session and socket ids: 20 characters of URL-safe base64, 108 random bits behind the number of the event loop.
enum SessionID {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let length = 20
  /// Two characters hold the shard's index.
  static let maxShards = 64 * 64

  static func make(shard index: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    var high = generator.next()
    var low = generator.next()
    return String(unsafeUninitializedCapacity: length) { bytes in
      bytes[0] = alphabet[index / 64]
      bytes[1] = alphabet[index % 64]
      for position in 2..<11 {
        bytes[position] = alphabet[Int(high & 0x3f)]
        high >>= 6
      }
      for position in 11..<length {
        bytes[position] = alphabet[Int(low & 0x3f)]
        low >>= 6
      }
      return length
    }
  }

  static func shardIndex(of sid: String) -> Int? {
    let bytes = sid.utf8
    guard bytes.count == length, let first = bytes.first, let second = bytes.dropFirst().first,
      let high = alphabet.firstIndex(of: first), let low = alphabet.firstIndex(of: second)
    else { return nil }
    return high * 64 + low
  }
}
