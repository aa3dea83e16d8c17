import Logging
import ServiceLifecycle
import SocketIOServer

/// Loads a renewed certificate without a signal to the server.
struct CertificateWatch: ServiceLifecycle.Service {
  let certificate: SocketIOServer.TLSCertificate
  let interval: Duration
  let reload: @Sendable () -> Void
  let logger: Logger

  /// How often the log warns of a certificate that ends soon.
  private static let reminder: Duration = .seconds(86_400)

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      var reminded = ContinuousClock.now
      while true {
        try await Task.sleep(for: interval)
        reload()
        guard ContinuousClock.now - reminded >= Self.reminder else { continue }
        reminded = .now
        certificate.warnOfEnd(logger)
      }
    }
  }
}
