import Foundation
import NIOCore
import NIOSSL
import SocketIOProtocol

extension SocketIOClient {
  /// The SHA-256 of a certificate's SubjectPublicKeyInfo (RFC 7469 section 2.4). It does not change when a certificate is renewed with the
  /// same key.
  ///
  /// This command shows it for a certificate: `openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst
  /// -sha256 -binary | base64`
  public struct PublicKeyPin: Hashable, Sendable {
    let digest: [UInt8]

    /// - Parameter text: 32 bytes in Base64, optionally after `sha256/`.
    /// - Throws: ``SocketIOError/badTLS(_:)``.
    public init(_ text: String) throws(SocketIOError) {
      let base64 = text.hasPrefix(Self.prefix) ? String(text.dropFirst(Self.prefix.count)) : text
      guard let data = Data(base64Encoded: base64), data.count == 32 else {
        throw .badTLS("\"\(text)\" is not the SHA-256 of a public key, 32 bytes in Base64")
      }
      digest = Array(data)
    }

    init(of certificate: NIOSSLCertificate) throws {
      digest = MessageDigest.sha256(of: try certificate.extractPublicKey().toSPKIBytes())
    }

    private static let prefix = "sha256/"
  }
}

extension SocketIOClient.PublicKeyPin: CustomStringConvertible {
  public var description: String { Self.prefix + Data(digest).base64EncodedString() }
}

extension Set<SocketIOClient.PublicKeyPin> {
  /// Checks the key of the server's certificate.
  /// - Returns: Fails with ``SocketIOClient/Failure/untrusted(_:)`` if the key is not in this set; then the connection is closed.
  func check(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard !isEmpty else { return channel.eventLoop.makeSucceededVoidFuture() }
    let checked = channel.eventLoop.submit {
      guard let certificate = try channel.pipeline.syncOperations.nioSSL_peerCertificate() else {
        throw SocketIOClient.Failure.untrusted("the server showed no certificate")
      }
      let seen = try SocketIOClient.PublicKeyPin(of: certificate)
      guard !contains(seen) else { return }
      throw SocketIOClient.Failure.untrusted("the key of the server's certificate, \(seen), is not pinned")
    }
    checked.whenFailure { _ in channel.close(promise: nil) }
    return checked
  }
}
