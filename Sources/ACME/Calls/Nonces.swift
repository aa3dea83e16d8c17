/// Single-use numbers that an authority hands out, so that no message counts twice (RFC 8555, section 6.5).
struct Nonces {
  private static let most = 8
  private var unused: [String] = []

  mutating func add(_ nonce: String?) {
    guard let nonce, Base64URL.isToken(nonce), unused.count < Self.most else { return }
    unused.append(nonce)
  }

  /// The newest: old ones may have expired.
  mutating func take() -> String? { unused.popLast() }

  /// An authority that refuses one has often forgotten the others, too.
  mutating func forget() { unused = [] }
}
