import Foundation
import Logging
import MadangCore
import SocketIOServer

/// How a server speaks TLS itself.
public struct TLSSettings: Sendable {
  public var certificateFile = setting(
    "tls.cert", "", .text, "certificate with its chain, in PEM, for TLS; empty for plain HTTP")
  public var keyFile = setting("tls.key", "", .text, "the certificate's private key, in PEM")
  public var redirectPort: Int? = setting(
    "tls.redirect.port", nil, .portOrNone,
    "with TLS: a port for plain HTTP that sends pages for people to public.url and refuses all else; empty for none")
  /// How often the files are looked at.
  public var reloadInterval: Duration = .seconds(60)

  public init() {}

  /// Whether the server speaks TLS itself.
  public var isUsed: Bool { !certificateFile.isEmpty }

  func problems(besides port: Int) -> [String] {
    if certificateFile.isEmpty && keyFile.isEmpty {
      guard redirectPort != nil else { return [] }
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
