import Crypto
import Foundation

/// The key by which a limit counts, always 16 bytes: the first half of a SHA-256.
struct KeyHash: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  init(_ text: String) {
    var text = text
    self.init(text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) })
  }

  /// The hash in notices to other servers: without the secret the text cannot be found by trying.
  init(_ text: String, secret: [UInt8]) {
    self.init(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: secret)))
  }

  private init(_ code: some ContiguousBytes) {
    (high, low) = code.withUnsafeBytes {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }

  /// Nil if the text is not a ``hex``.
  init?(hex: some StringProtocol) {
    guard hex.utf8.count == 32, let high = UInt64(hex.prefix(16), radix: 16),
      let low = UInt64(hex.suffix(16), radix: 16)
    else { return nil }
    (self.high, self.low) = (high, low)
  }

  /// 32 digits.
  var hex: String {
    [high, low].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// An account at an address, by which sign-ins are counted.
struct SignInKey: Hashable {
  let account: KeyHash
  let address: KeyHash
}
