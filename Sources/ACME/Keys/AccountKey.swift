import Crypto

/// The key pair of an account: P-256, which signs with ES256.
package struct AccountKey: Sendable {
  private let key: P256.Signing.PrivateKey

  package init() { key = P256.Signing.PrivateKey() }

  /// - Parameter pem: As ``pem`` returns it. Throws if it is no key.
  package init(pem: String) throws { key = try P256.Signing.PrivateKey(pemRepresentation: pem) }

  package var pem: String { key.pemRepresentation }

  var publicKey: JSONWebKey { JSONWebKey(key.publicKey) }

  /// The text that proves control of a name (RFC 8555, section 8.1).
  func keyAuthorization(_ token: String) throws -> String { "\(token).\(try publicKey.thumbprint)" }

  func signature(of text: String) throws -> [UInt8] {
    Array(try key.signature(for: Array(text.utf8)).rawRepresentation)
  }
}

/// A public key as JSON (RFC 7517). Its fields are in the order that a thumbprint needs.
struct JSONWebKey: Encodable, Sendable {
  let crv = "P-256"
  let kty = "EC"
  let x: String
  let y: String

  init(_ key: P256.Signing.PublicKey) {
    // 4, then both coordinates.
    let point = Array(key.x963Representation)
    (x, y) = (Base64URL.text(point[1..<33]), Base64URL.text(point[33..<65]))
  }

  /// RFC 7638.
  var thumbprint: String {
    get throws { Base64URL.text(SHA256.hash(data: try JSONText.bytes(self))) }
  }
}
