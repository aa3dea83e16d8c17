import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate that its own key has signed, and that key, both in PEM.
package struct SelfSigned: Sendable {
  package let chain: String
  package let key: String

  /// For a server that waits for its first certificate: no client trusts it.
  package init(for names: [String]) throws {
    try self.init(names, validFor: 365 * 86_400, nil)
  }

  /// The certificate that answers a challenge of kind `tls-alpn-01` (RFC 8737, section 3).
  package init(answering proof: Proof) throws {
    let value = Self.identifier(of: proof)
    try self.init(
      [proof.name], validFor: 86_400,
      Certificate.Extension(oid: [1, 3, 6, 1, 5, 5, 7, 1, 31], critical: true, value: value[...]))
  }

  /// Whether a certificate in DER is one of these, by its names.
  package static func made(_ certificate: [UInt8]) -> Bool {
    guard let certificate = try? Certificate(derEncoded: certificate), let name = try? name() else { return false }
    return certificate.issuer == name && certificate.subject == name
  }

  private static func name() throws -> DistinguishedName { try DistinguishedName { CommonName("madang") } }

  /// What such a certificate identifies the proof by, in DER: an OCTET STRING of 32 bytes.
  package static func identifier(of proof: Proof) -> [UInt8] {
    [0x04, 0x20] + Array(SHA256.hash(data: Array(proof.keyAuthorization.utf8)))
  }

  private init(_ names: [String], validFor life: TimeInterval, _ further: Certificate.Extension?) throws {
    let key = CertificateKey()
    let name = try Self.name()
    let extensions = [
      try Certificate.Extension(SubjectAlternativeNames(names.map { .dnsName($0) }), critical: false), further,
    ]
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.key.publicKey),
      // Clocks differ.
      notValidBefore: Date(timeIntervalSinceNow: -3600), notValidAfter: Date(timeIntervalSinceNow: life), issuer: name,
      subject: name, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: Certificate.Extensions(extensions.compactMap(\.self)),
      issuerPrivateKey: Certificate.PrivateKey(key.key))
    chain = try certificate.serializeAsPEM().pemString
    self.key = key.pem
  }
}
