import Crypto
import Foundation

/// Tokens that say who somebody is: the name of a user and a mark that only this secret makes, as `mina.6f0a...`. They never end: give
/// yours an expiry, and a way to revoke them.
public struct Tokens: Sendable {
  private let key: SymmetricKey

  public init(secret: String) { key = SymmetricKey(data: Data(secret.utf8)) }

  public func token(of user: String) -> String { "\(user).\(mark(of: user))" }

  /// Who shows a token; nil if it is none of ours.
  public func user(of token: String) -> String? {
    guard token.utf8.count <= 256, let dot = token.lastIndex(of: ".") else { return nil }
    let user = String(token[..<dot])
    return isSame(token, self.token(of: user)) ? user : nil
  }

  /// Compares in a time that tells nothing of how much is right: digests are compared.
  func isSame(_ shown: String, _ secret: String) -> Bool {
    SHA256.hash(data: Data(shown.utf8)) == SHA256.hash(data: Data(secret.utf8))
  }

  private func mark(of user: String) -> String {
    HMAC<SHA256>.authenticationCode(for: Data(user.utf8), using: key).map { String(format: "%02x", $0) }.joined()
  }
}
