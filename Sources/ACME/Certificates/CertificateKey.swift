import Crypto
import SwiftASN1
import X509

/// The private key of a certificate: P-256.
package struct CertificateKey: Sendable {
  let key: P256.Signing.PrivateKey

  package init() { key = P256.Signing.PrivateKey() }

  /// Throws if the text is no such key.
  package init(pem: String) throws { key = try P256.Signing.PrivateKey(pemRepresentation: pem) }

  package var pem: String { key.pemRepresentation }

  /// The request that an authority signs (RFC 8555, section 7.4).
  func signingRequest(for names: [String]) throws -> [UInt8] {
    let extensions = try Certificate.Extensions([
      Certificate.Extension(SubjectAlternativeNames(names.map { .dnsName($0) }), critical: false)
    ])
    let request = try CertificateSigningRequest(
      version: .v1, subject: DistinguishedName(), privateKey: Certificate.PrivateKey(key),
      attributes: CertificateSigningRequest.Attributes([
        CertificateSigningRequest.Attribute(ExtensionRequest(extensions: extensions))
      ]), signatureAlgorithm: .ecdsaWithSHA256)
    var serializer = DER.Serializer()
    try serializer.serialize(request)
    return serializer.serializedBytes
  }
}
