import Foundation
import Logging
import MadangCore
import MadangOperations
import SocketIOServer

extension TLSSettings {
  /// When the server's certificate ends, for the doctor. The error's text is for operators.
  public func certificateEnd() throws -> Date {
    try SocketIOServer.TLSCertificate(chainFile: certificateFile, keyFile: keyFile).notValidAfter
  }

  /// The certificate to begin with: of the files, or one that no client trusts until the first one is ordered. Nil without TLS. Throws
  /// ``SetupError``.
  func certificate(_ logger: Logger) throws -> SocketIOServer.TLSCertificate? {
    do {
      if acme.isUsed {
        let pair = try acme.placeholder()
        return try SocketIOServer.TLSCertificate(chain: Array(pair.chain.utf8), key: Array(pair.key.utf8))
      }
      guard hasFiles else { return nil }
      let certificate = try SocketIOServer.TLSCertificate(chainFile: certificateFile, keyFile: keyFile)
      certificate.warnOfEnd(logger)
      return certificate
    } catch let error as TLSCertificateError where hasFiles {
      let setting = error.file == keyFile && keyFile != certificateFile ? "tls.key" : "tls.cert"
      throw SetupError("\(setting): \(error); \(Self.fileCure)")
    } catch {
      throw SetupError("TLS: \(error)")
    }
  }
}

extension SocketIOServer.TLSCertificate {
  /// How long before a certificate's end the log warns. Automatic renewal happens weeks earlier.
  private static let notice: TimeInterval = 14 * 86_400

  /// Loads the certificate and its key again. Logs a new certificate, or why it cannot be used.
  func reload(_ logger: Logger) {
    do {
      guard try reload() else { return }
      logger.notice(
        "new certificate", metadata: ["file": "\(chainFile ?? "")", "validUntil": "\(notValidAfter.ISO8601Format())"])
      warnOfEnd(logger)
    } catch {
      logger.error("the new certificate cannot be used; the present one stays in use", metadata: ["reason": "\(error)"])
    }
  }

  func warnOfEnd(_ logger: Logger) {
    guard notValidAfter < Date(timeIntervalSinceNow: Self.notice) else { return }
    logger.warning(
      "the certificate ends soon or has ended: renew it, and the server loads it by itself",
      metadata: ["file": "\(chainFile ?? "")", "validUntil": "\(notValidAfter.ISO8601Format())"])
  }
}
