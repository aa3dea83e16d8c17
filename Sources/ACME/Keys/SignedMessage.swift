import Crypto

/// A message as authorities take it: a JSON Web Signature in its flattened form (RFC 7515).
struct SignedMessage: Encodable, Sendable {
  /// Who signs.
  enum Signer {
    /// An account, by its URL.
    case account(String)
    /// A key that has no account yet.
    case key
  }

  private struct Header: Encodable {
    let alg = "ES256"
    let jwk: JSONWebKey?
    let kid: String?
    let nonce: String
    let url: String
  }

  let protected: String
  let payload: String
  let signature: String

  /// - Parameter payload: JSON; empty for a read ("POST-as-GET").
  init(_ payload: [UInt8], to url: String, by signer: Signer, _ key: AccountKey, nonce: String) throws {
    let header =
      switch signer {
      case .account(let account): Header(jwk: nil, kid: account, nonce: nonce, url: url)
      case .key: Header(jwk: key.publicKey, kid: nil, nonce: nonce, url: url)
      }
    protected = Base64URL.text(try JSONText.bytes(header))
    self.payload = Base64URL.text(payload)
    signature = Base64URL.text(try key.signature(of: "\(protected).\(self.payload)"))
  }
}

/// An account of a customer, at authorities that take no others (RFC 8555, section 7.3.4).
package struct ExternalAccount: Sendable {
  private let id: String
  private let key: SymmetricKey

  /// - Parameter key: As the authority hands it out, in Base64. Nil if it is not Base64.
  package init?(id: String, key: String) {
    guard let bytes = Base64URL.bytes(key), !bytes.isEmpty else { return nil }
    (self.id, self.key) = (id, SymmetricKey(data: bytes))
  }

  private struct Header: Encodable {
    let alg = "HS256"
    let kid: String
    let url: String
  }

  struct Binding: Encodable {
    let protected: String
    let payload: String
    let signature: String
  }

  /// Binds a key to this account.
  /// - Parameter url: The address of new accounts.
  func binding(of publicKey: JSONWebKey, at url: String) throws -> Binding {
    let protected = Base64URL.text(try JSONText.bytes(Header(kid: id, url: url)))
    let payload = Base64URL.text(try JSONText.bytes(publicKey))
    let code = HMAC<SHA256>.authenticationCode(for: Array("\(protected).\(payload)".utf8), using: key)
    return Binding(protected: protected, payload: payload, signature: Base64URL.text(code))
  }
}
