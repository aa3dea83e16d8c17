import Foundation
import MadangCore
import ServiceLifecycle
import Synchronization

/// The doctor of a running server: an hour after its start, then daily, and when an administrator asks for it.
package final class DoctorRuns: ServiceLifecycle.Service {
  package struct Result: Sendable {
    /// Milliseconds since 1970.
    package let at: Int64
    package let findings: [DoctorFinding]
  }

  private let madang: Madang
  private let settings: ServerSettings
  private let doctor: Doctor
  private let last = Mutex<Result?>(nil)
  private let shared = Shared<Result>()

  package init(_ madang: Madang, _ settings: ServerSettings, certificateEnd: @escaping Doctor.CertificateEnd) {
    (self.madang, self.settings) = (madang, settings)
    var options = Doctor.Options()
    options.backupDays = settings.alarmWatch.backupDays
    doctor = Doctor(options, certificateEnd: certificateEnd, logger: madang.logger)
  }

  /// Nil before the first examination.
  package var latest: Result? { last.withLock(\.self) }

  package func run() async throws {
    try? await cancelWhenGracefulShutdown { [self] in
      try await madang.clock.sleep(for: .seconds(3600))
      await every(.seconds(86_400), by: madang.clock) { [self] in _ = try? await examine() }
    }
  }

  /// Examines the installation from inside.
  package func examine() async throws -> Result {
    try await shared.value { [self] in
      let result = Result(at: madang.clock.now, findings: await doctor.examine(settings, in: madang))
      last.withLock { $0 = result }
      return result
    }
  }
}
