import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate and its chain: the certificates of its issuers.
package struct CertificateChain: Sendable {
  /// More than any authority has.
  private static let longest = 10

  /// In PEM, the certificate first.
  package let pem: String
  private let certificate: Certificate

  /// Throws if the text has no certificate in PEM, or too many.
  package init(pem: String) throws {
    let documents = try PEMDocument.parseMultiple(pemString: pem)
    guard let first = documents.first, documents.count <= Self.longest else { throw Unusable() }
    certificate = try Certificate(pemDocument: first)
    for further in documents.dropFirst() { _ = try Certificate(pemDocument: further) }
    self.pem = pem
  }

  package struct Unusable: Error {}

  package var notBefore: Date { certificate.notValidBefore }
  package var notAfter: Date { certificate.notValidAfter }

  /// The names that it is for.
  package var names: [String] {
    (try? certificate.extensions.subjectAlternativeNames)?.compactMap { name -> String? in
      if case .dnsName(let name) = name { name } else { nil }
    } ?? []
  }

  /// Who signed it: the organisation or, without one, the whole name.
  package var issuer: String {
    for part in certificate.issuer {
      for attribute in part where attribute.type == .RDNAttributeType.organizationName {
        if let name = String(attribute.value) { return name }
      }
    }
    return "\(certificate.issuer)"
  }

  /// Whether it belongs to the key and is for all of the names.
  package func fits(_ key: CertificateKey, _ names: [String]) -> Bool {
    let own = Set(self.names.map { $0.lowercased() })
    return certificate.publicKey == Certificate.PublicKey(key.key.publicKey)
      && names.allSatisfy { own.contains($0.lowercased()) }
  }

  /// The certificate alone, as a revocation names it.
  var certificateBytes: [UInt8] {
    get throws {
      var serializer = DER.Serializer()
      try serializer.serialize(certificate)
      return serializer.serializedBytes
    }
  }
}
