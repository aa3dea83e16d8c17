import Logging
import ServiceLifecycle
import SocketIOServer

/// Takes a certificate that was renewed, without anybody telling the server.
struct CertificateWatch: ServiceLifecycle.Service {
  let certificate: SocketIOServer.TLSCertificate
  let interval: Duration
  let logger: Logger

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: interval)
        certificate.reload(logger)
      }
    }
  }
}
