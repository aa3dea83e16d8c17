import Logging
import MadangCore
import ServiceLifecycle

/// Tidies up at start and once in a while: files without a row, addresses that are no longer fresh.
struct Housekeeping: ServiceLifecycle.Service {
  let service: Service

  /// Uploads younger than this, in milliseconds, may still belong to a running request.
  private static let uploadAge: Int64 = 3_600_000

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        await tidy()
        try await Task.sleep(for: service.settings.housekeepingInterval)
      }
    }
  }

  private func tidy() async {
    do {
      service.recent.noteConnected()
      try await service.madang.forgetAddresses(olderThan: service.settings.socketRecentWindow)
      try await service.madang.sweepFiles(olderThan: Self.uploadAge)
    } catch is CancellationError {
    } catch {
      service.logger.warning("housekeeping failed", metadata: ["error": "\(String(reflecting: error))"])
    }
  }
}
