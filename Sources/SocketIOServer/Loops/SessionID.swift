/// Session and socket ids: 20 characters of URL-safe base64, 108 random bits behind the number of the event loop. Those of
/// sessions begin with the node and a dot, if there is one; an application may make the rest, but for the loop's number.
enum SessionID {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let length = 20
  /// How long what an application makes may be.
  private static let ownLengths = 18...64
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

  /// The id of a session: proxies read the node off it.
  static func make(shard index: Int, node: String?) -> String {
    let id = make(shard: index)
    return node.map { "\($0).\(id)" } ?? id
  }

  /// Whether a node's name may stand in an id: 1 to 16 letters, digits, `-` and `_` of ASCII.
  static func isNode(_ name: String) -> Bool {
    (1...16).contains(name.utf8.count) && name.utf8.allSatisfy(alphabet.contains)
  }

  /// The id of a session out of what the application made; nil if that may not stand in an id.
  static func make(_ own: String, shard index: Int, node: String?) -> String? {
    guard ownLengths.contains(own.utf8.count), own.utf8.allSatisfy(alphabet.contains) else { return nil }
    let place = String(decoding: [alphabet[index / 64], alphabet[index % 64]], as: UTF8.self)
    return (node.map { "\($0)." } ?? "") + place + own
  }

  /// What of a session's id is not its node.
  static func secret(of sid: String) -> Substring {
    sid.utf8.lastIndex(of: UInt8(ascii: ".")).map { sid[sid.index(after: $0)...] } ?? sid[...]
  }

  /// The event loop of a session's id; `nil` for an id that this node does not make.
  static func shardIndex(of sid: String, node: String?) -> Int? {
    guard let node else { return shardIndex(of: sid) }
    guard sid.utf8.starts(with: "\(node).".utf8) else { return nil }
    return shardIndex(of: String(decoding: sid.utf8.dropFirst(node.utf8.count + 1), as: UTF8.self))
  }

  private static func shardIndex(of sid: String) -> Int? {
    let bytes = sid.utf8
    guard (length...ownLengths.upperBound + 2).contains(bytes.count), let first = bytes.first,
      let second = bytes.dropFirst().first,
      let high = alphabet.firstIndex(of: first), let low = alphabet.firstIndex(of: second)
    else { return nil }
    return high * 64 + low
  }
}
