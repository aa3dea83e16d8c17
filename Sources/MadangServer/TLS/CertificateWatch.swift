import Logging
import ServiceLifecycle
import SocketIOServer

/// Takes a certificate that was renewed, without anybody telling the server.
struct CertificateWatch: ServiceLifecycle.Service {
  let certificate: SocketIOServer.TLSCertificate
  let interval: Duration
  let logger: Logger

  /// How often a certificate that ends soon is spoken of.
  private static let reminder: Duration = .seconds(86_400)

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      var reminded = ContinuousClock.now
      while true {
        try await Task.sleep(for: interval)
        certificate.reload(logger)
        guard ContinuousClock.now - reminded >= Self.reminder else { continue }
        reminded = .now
        certificate.warnOfEnd(logger)
      }
    }
  }
}
