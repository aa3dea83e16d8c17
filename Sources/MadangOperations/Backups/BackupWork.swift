import Foundation
import Logging
import MadangAPI
import MadangCore
import ServiceLifecycle
import Storage
import Synchronization

/// The backups that a running server makes: when an administrator asks for one, and each day at a time of the settings.
package final class BackupWork: ServiceLifecycle.Service {
  /// The backup under way.
  package struct Running: Encodable, Sendable {
    /// The present step, in words.
    package var phase: String
    package var done: Int
    /// Nil if unknown.
    package var total: Int?
    package let startedAt: String
  }

  /// Why the last backup failed.
  package struct Failed: Encodable, Sendable {
    package let at: String
    package let message: String
  }

  package enum Refusal: Error {
    /// One is under way.
    case running
    /// No directory is set.
    case nowhere
    /// Another server of the database does its housekeeping and makes its backups.
    case elsewhere
  }

  private let madang: Madang
  private let settings: ServerSettings
  private let state = Mutex<(running: Running?, failed: Failed?)>((nil, nil))
  private let wakes = Wakes()
  private let next = Mutex<Administrator?>(nil)

  private let ended: @Sendable () -> Void

  /// - Parameter ended: Called after each backup, made or failed.
  package init(_ madang: Madang, _ settings: ServerSettings, ended: @escaping @Sendable () -> Void) {
    (self.madang, self.settings, self.ended) = (madang, settings, ended)
  }

  package var running: Running? { state.withLock(\.running) }
  /// Nil if the last one was made, or none was tried since the start.
  package var failed: Failed? { state.withLock(\.failed) }

  /// When the next planned backup begins, in milliseconds since 1970; nil without a plan.
  package var nextAt: Int64? {
    guard !plan.directory.isEmpty else { return nil }
    return plan.at.flatMap { $0.next(after: madang.clock.now) }
  }

  /// Begins a backup and returns at once. Throws ``Refusal``.
  package func begin(by administrator: Administrator) async throws {
    guard !plan.directory.isEmpty else { throw Refusal.nowhere }
    guard try await madang.database.tryAdvisoryLock("housekeeping") else { throw Refusal.elsewhere }
    let start = Running(phase: "beginning", done: 0, total: nil, startedAt: WireDate.string(madang.clock.now))
    let isFirst = state.withLock { state in
      guard state.running == nil else { return false }
      state.running = start
      return true
    }
    guard isFirst else { throw Refusal.running }
    next.withLock { $0 = administrator }
    wakes.wake()
  }

  package func run() async throws {
    await withTaskGroup { group in
      group.addTask { [self] in await keepPlan() }
      await wakes.run { [self] in
        guard
          let administrator = next.withLock({ next in
            defer { next = nil }
            return next
          })
        else { return }
        await cancelWhenGracefulShutdown { [self] in await make(by: administrator) }
      }
      group.cancelAll()
    }
  }

  private var plan: AdminBackupSettings { settings.web.admin.backups }

  private func keepPlan() async {
    try? await cancelWhenGracefulShutdown { [self] in
      while let moment = nextAt {
        try await madang.clock.sleep(for: .milliseconds(moment - madang.clock.now))
        // A backup may be under way; other servers leave it to the one that does the housekeeping.
        try? await begin(by: .server)
        try await madang.clock.sleep(for: .seconds(1))
      }
    }
  }

  private func make(by administrator: Administrator) async {
    var failed: Failed?
    do {
      try settings.backupPlace?.prepare()
      // With connections of its own: a backup reads for longer than a request may.
      let made = try await Administration.run(settings, actingAs: administrator, logger: madang.logger) {
        try await $0.backUp(to: URL(filePath: plan.directory), keep: plan.keep) { [self] progress in
          state.withLock { state in
            state.running?.phase = progress.phase
            state.running?.done = progress.done
            state.running?.total = progress.total
          }
        }
      }
      madang.logger.notice("a backup was made", metadata: ["path": "\(made.path)", "losses": "\(made.losses.count)"])
    } catch {
      let message = "\(error)"
      madang.logger.error("a backup failed", metadata: ["reason": "\(message)"])
      failed = Failed(at: WireDate.string(madang.clock.now), message: message)
    }
    state.withLock { $0 = (nil, failed) }
    ended()
  }
}
