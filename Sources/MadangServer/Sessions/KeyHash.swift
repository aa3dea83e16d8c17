import Crypto

/// What a limit counts by, in 16 bytes whatever a client sends: the first half of its SHA-256.
struct KeyHash: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  init(_ text: String) {
    (high, low) = SHA256.hash(data: Array(text.utf8)).withUnsafeBytes {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }
}
