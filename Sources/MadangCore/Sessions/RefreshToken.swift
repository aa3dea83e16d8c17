/// A refresh token: 256 random bits, of which only the hash is stored.
package struct RefreshToken {
  private static let prefix = "r."
  private static let randomBytes = 32

  let token: String
  var hash: String { Self.hash(token) }

  init(_ ids: IDSource) { token = Self.prefix + ids.bytes(Self.randomBytes).hex }

  package static func hash(_ token: String) -> String { token.sha256 }

  /// Whether a text has the form of a refresh token. Access tokens never have it.
  package static func hasForm(_ text: String) -> Bool {
    text.hasPrefix(prefix) && text.utf8.count == prefix.utf8.count + 2 * randomBytes
  }
}
