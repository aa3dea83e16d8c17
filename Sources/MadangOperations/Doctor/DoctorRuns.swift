import Foundation
import MadangCore
import ServiceLifecycle
import Synchronization

/// The doctor of a running server: soon after its start, then each hour, after work that may have cured a finding, and when an
/// administrator asks for it.
package final class DoctorRuns: ServiceLifecycle.Service {
  package struct Result: Sendable {
    /// Milliseconds since 1970.
    package let at: Int64
    package let findings: [DoctorFinding]
  }

  /// After the start, queues and proxies have shown their state.
  private static let firstPause: Duration = .seconds(60)
  private static let interval: Duration = .seconds(3600)

  private let madang: Madang
  private let settings: ServerSettings
  private let doctor: Doctor
  private let signs: @Sendable () -> [LoopbackSign]
  private let last = Mutex<Result?>(nil)
  private let shared = Shared<Result>()
  private let wakes = Wakes()

  /// - Parameter signs: Signs of a proxy that the server has noticed.
  package init(
    _ madang: Madang, _ settings: ServerSettings, certificateEnd: @escaping Doctor.CertificateEnd,
    signs: @escaping @Sendable () -> [LoopbackSign]
  ) {
    (self.madang, self.settings, self.signs) = (madang, settings, signs)
    var options = Doctor.Options()
    options.backupDays = settings.alarmWatch.backupDays
    doctor = Doctor(options, certificateEnd: certificateEnd, logger: madang.logger)
  }

  /// Nil before the first examination.
  package var latest: Result? { last.withLock(\.self) }

  package func run() async throws {
    await withTaskGroup { group in
      group.addTask { [self] in
        try? await cancelWhenGracefulShutdown { [self] in
          try await madang.clock.sleep(for: Self.firstPause)
          await every(Self.interval, by: madang.clock) { [self] in _ = try? await examine() }
        }
      }
      await wakes.run { [self] in
        await cancelWhenGracefulShutdown { [self] in _ = try? await examineAfterChange() }
      }
      group.cancelAll()
    }
  }

  /// Something was done that may have cured a finding. Returns at once; several calls before the examination count as one.
  package func changed() { wakes.wake() }

  /// Examines the installation from inside, once for all who ask meanwhile.
  package func examine() async throws -> Result {
    try await shared.value { [self] in
      let result = Result(at: madang.clock.now, findings: await doctor.examine(settings, in: madang, signs: signs()))
      last.withLock { $0 = result }
      return result
    }
  }

  /// The same after a change: an examination that is under way may have begun before it, so its end is waited for.
  package func examineAfterChange() async throws -> Result {
    try await shared.end()
    return try await examine()
  }
}
