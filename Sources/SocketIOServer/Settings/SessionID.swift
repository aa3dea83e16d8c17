/// Session and socket ids: 20 characters of URL-safe base64, with the number of the event loop followed by 108 random bits. Session ids
/// start with the node and a dot, if there is a node. An application may make the part of a session id that follows the loop's number.
enum SessionID {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let length = 20
  /// The allowed lengths of an application's part.
  private static let ownLengths = 18...64
  /// Two characters encode the shard's index.
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

  /// A session id, with the node in front for proxies.
  static func make(shard index: Int, node: String?) -> String {
    let id = make(shard: index)
    return node.map { "\($0).\(id)" } ?? id
  }

  /// Whether a node's name is valid: 1 to 16 ASCII letters, digits, `-` and `_`.
  static func isNode(_ name: String) -> Bool {
    (1...16).contains(name.utf8.count) && name.utf8.allSatisfy(alphabet.contains)
  }

  /// A session id with the application's part; nil if that part is invalid.
  static func make(_ own: String, shard index: Int, node: String?) -> String? {
    guard ownLengths.contains(own.utf8.count), own.utf8.allSatisfy(alphabet.contains) else { return nil }
    let place = String(decoding: [alphabet[index / 64], alphabet[index % 64]], as: UTF8.self)
    return (node.map { "\($0)." } ?? "") + place + own
  }

  /// The part of a session id after the node.
  static func secret(of sid: String) -> Substring {
    sid.utf8.lastIndex(of: UInt8(ascii: ".")).map { sid[sid.index(after: $0)...] } ?? sid[...]
  }

  /// The event loop of a session id; `nil` for an id that this node did not make.
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
