import Logging
import MadangCore
import ServiceLifecycle

/// Tidies up at start and once in a while: files nothing names, addresses that are no longer fresh. Files of deleted
/// rooms go soon after the deletion.
struct Housekeeping: ServiceLifecycle.Service {
  private let service: Service
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(_ service: Service) {
    self.service = service
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Uploads younger than this, in milliseconds, may still belong to a running request.
  private static let uploadAge: Int64 = 3_600_000

  /// Returns at once.
  func removeFilesSoon() { wake.yield() }

  func run() async throws {
    await withTaskGroup { group in
      group.addTask {
        try? await cancelWhenGracefulShutdown {
          while true {
            await tidy()
            try await Task.sleep(for: service.settings.housekeepingInterval)
          }
        }
      }
      for await _ in wakes.cancelOnGracefulShutdown() {
        await attempt { try await service.madang.removeRetiredFiles() }
      }
    }
  }

  private func tidy() async {
    await attempt {
      service.recent.noteConnected()
      try await service.madang.forgetAddresses(olderThan: service.settings.socketRecentWindow)
      try await service.madang.removeRetiredFiles()
      try await service.madang.sweepFiles(olderThan: Self.uploadAge)
    }
  }

  private func attempt(_ chore: () async throws -> Void) async {
    do { try await chore() } catch is CancellationError {
    } catch {
      service.logger.warning("housekeeping failed", metadata: ["error": "\(String(reflecting: error))"])
    }
  }
}
