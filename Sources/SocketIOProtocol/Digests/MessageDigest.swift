/// The digests that the protocols around Socket.IO require. A cryptography package would build BoringSSL for these two functions. Time and
/// memory are linear in the length of the message.
public enum MessageDigest {
  /// SHA-1 (FIPS 180-4), 20 bytes. It shows that a server understood a WebSocket handshake (RFC 6455 section 1.3), and gives no protection:
  /// do not use it for anything else.
  public static func sha1(of message: [UInt8]) -> [UInt8] { SHA1.digest(of: message) }

  /// SHA-256 (FIPS 180-4), 32 bytes.
  public static func sha256(of message: [UInt8]) -> [UInt8] { SHA256.digest(of: message) }
}

/// The padding and the byte order that SHA-1 and SHA-256 share (FIPS 180-4 sections 3.1 and 5).
enum DigestBlocks {
  /// Calls `body` with the 16 words of each block of the padded message.
  static func forEach(of message: [UInt8], _ body: ([UInt32]) -> Void) {
    // A single 1 bit, zeros up to 8 bytes before a multiple of 64, and the message's length in bits.
    var padded = message + [0x80]
    padded.append(contentsOf: repeatElement(0, count: (120 - padded.count % 64) % 64))
    let bits = UInt64(message.count) * 8
    padded.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
    for start in stride(from: 0, to: padded.count, by: 64) {
      body(
        stride(from: start, to: start + 64, by: 4).map { word in
          padded[word..<word + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        })
    }
  }

  /// The bytes of the words, the most significant first.
  static func bytes(of words: [UInt32]) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }
}
