import Foundation
import Logging
import MadangCore
import SocketIOServer

/// How a server speaks TLS itself.
public struct TLSSettings: Sendable {
  /// A file in PEM: the server's certificate, then those between it and a root.
  public var certificateFile = ""
  /// A file in PEM: the certificate's private key, not encrypted.
  public var keyFile = ""
  /// A port for plain HTTP whose answers send clients to HTTPS. Nil: there is none.
  public var redirectPort: Int?
  /// How often the files are looked at.
  public var reloadInterval: Duration = .seconds(60)

  public init() {}

  /// Whether nothing is set.
  public var isUnused: Bool { certificateFile.isEmpty && keyFile.isEmpty && redirectPort == nil }

  func problems(besides port: Int) -> [String] {
    if certificateFile.isEmpty && keyFile.isEmpty {
      return ["tls.redirect.port: needs TLS; name the files with --tls-cert and --tls-key"]
    }
    guard !certificateFile.isEmpty && !keyFile.isEmpty else {
      return ["--tls-cert, --tls-key: belong together; give both, or neither for plain HTTP"]
    }
    guard port == 0 || port != redirectPort else {
      return ["tls.redirect.port: \(port) is the port that speaks TLS; choose another, usually 80"]
    }
    return []
  }

  /// Throws ``SetupError``.
  func certificate(_ logger: Logger) throws -> SocketIOServer.TLSCertificate {
    do {
      let certificate = try SocketIOServer.TLSCertificate(chainFile: certificateFile, keyFile: keyFile)
      certificate.warnOfEnd(logger)
      return certificate
    } catch {
      throw SetupError("TLS: \(error)")
    }
  }
}

extension SocketIOServer.TLSCertificate {
  /// How long before its end a certificate is spoken of: those that renew themselves are renewed weeks before.
  private static let notice: TimeInterval = 14 * 86_400

  /// Takes what the files hold now, and says in the log if that has changed or cannot be used.
  func reload(_ logger: Logger) {
    do {
      guard try reload() else { return }
      logger.notice(
        "new certificate", metadata: ["file": "\(chainFile)", "validUntil": "\(notValidAfter.ISO8601Format())"])
      warnOfEnd(logger)
    } catch {
      logger.error("the certificate in use stays: the new one cannot be used", metadata: ["reason": "\(error)"])
    }
  }

  func warnOfEnd(_ logger: Logger) {
    guard notValidAfter < Date(timeIntervalSinceNow: Self.notice) else { return }
    logger.warning(
      "the certificate ends soon, or has ended: renew it, and the server takes it by itself",
      metadata: ["file": "\(chainFile)", "validUntil": "\(notValidAfter.ISO8601Format())"])
  }
}
