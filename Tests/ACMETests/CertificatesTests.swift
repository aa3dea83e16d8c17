import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import ACME

@Suite("Keys, proofs and chains")
struct CertificatesTests {
  @Test("the certificate of tls-alpn-01 has the name and, critical, the hash of the key authorization")
  func challenge() throws {
    let proof = Proof(name: "chat.example.com", kind: .tlsALPN01, token: "t", keyAuthorization: "t.thumbprint")
    let made = try SelfSigned(answering: proof)
    let certificate = try Certificate(pemEncoded: made.chain)
    let found = try #require(certificate.extensions[oid: [1, 3, 6, 1, 5, 5, 7, 1, 31]])
    #expect(found.critical)
    let digest = try ASN1OctetString(derEncoded: DER.parse(found.value))
    #expect(Array(digest.bytes) == Array(SHA256.hash(data: Array("t.thumbprint".utf8))))
    #expect(try CertificateChain(pem: made.chain).names == ["chat.example.com"])
    #expect(try CertificateChain(pem: made.chain).fits(CertificateKey(pem: made.key), ["CHAT.example.com"]))
  }

  @Test("a thumbprint is that of RFC 7638: sorted members without blanks")
  func thumbprint() throws {
    let key = AccountKey()
    let json = try JSONText.bytes(key.publicKey)
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.hasPrefix(#"{"crv":"P-256","kty":"EC","x":""#) && !text.contains(" "))
    #expect(try key.keyAuthorization("token") == "token." + Base64URL.text(SHA256.hash(data: json)))
    #expect(try AccountKey(pem: key.pem).publicKey.thumbprint == key.publicKey.thumbprint)
  }

  @Test(
    "tokens that would leave their folder are refused",
    arguments: ["", "../x", "a/b", "a.b", "é", String(repeating: "a", count: 300)])
  func tokens(_ token: String) { #expect(!Base64URL.isToken(token)) }

  @Test(
    "texts that are no chain are refused",
    arguments: ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
  func chains(_ text: String) {
    #expect(throws: (any Error).self) { try CertificateChain(pem: text) }
  }

  @Test("a chain with a later part that is no certificate is refused")
  func laterParts() throws {
    let good = try SelfSigned(for: ["chat.example.com"]).chain
    #expect(try CertificateChain(pem: good + "\n" + good).names == ["chat.example.com"])
    let bad = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
    #expect(throws: (any Error).self) { try CertificateChain(pem: good + "\n" + bad) }
  }

  @Test("URL-safe Base64 has no padding, and both alphabets are read")
  func base64() {
    #expect(Base64URL.text([0xFB, 0xFF]) == "-_8")
    #expect(Base64URL.bytes("-_8") == [0xFB, 0xFF] && Base64URL.bytes("+/8=") == [0xFB, 0xFF])
  }
}
