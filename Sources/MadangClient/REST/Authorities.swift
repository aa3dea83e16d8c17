import AsyncHTTPClient
import Foundation
import NIOSSL
import SocketIOClient

/// Certificate authorities that a client trusts in addition to the system's.
public struct Authorities: Sendable {
  /// The file has no certificate, or cannot be read.
  public struct Unusable: Error, CustomStringConvertible {
    public let description: String
  }

  private let pem: [UInt8]
  private let certificates: [NIOSSLCertificate]

  /// - Parameter file: The path of certificates in PEM.
  /// - Throws: ``Unusable``.
  public init(file: String) throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw Unusable(description: "\(file) cannot be read; name a file of certificates in PEM")
    }
    pem = Array(data)
    guard let found = try? NIOSSLCertificate.fromPEMBytes(pem), !found.isEmpty else {
      throw Unusable(description: "\(file) has no certificates in PEM; name a file of -----BEGIN CERTIFICATE-----")
    }
    certificates = found
  }

  /// The same for sockets.
  var roots: SocketIOClient.TLS.Roots { .pem(pem) }

  /// Lets calls trust them, too.
  package func add(to settings: inout HTTPClient.Configuration) {
    var tls = settings.tlsConfiguration ?? .makeClientConfiguration()
    tls.additionalTrustRoots.append(.certificates(certificates))
    settings.tlsConfiguration = tls
  }
}
