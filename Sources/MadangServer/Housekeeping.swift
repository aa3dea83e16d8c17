import Logging
import MadangAPI
import MadangCore
import MadangOperations
import ServiceLifecycle
import Storage

/// Housekeeping at the start and periodically: removes old addresses, deleted data and abandoned files, and counts the
/// costs of stored passwords. Files without a row are searched only periodically, never at the start, so that an operator
/// who started with the wrong database has time to notice. Deleted rooms are removed soon, after the sockets of all servers
/// got the last chats; ended access that no change announced is found after some seconds.
///
/// One server does the database's housekeeping, the leader: it holds a lock of the database, which passes to another server
/// when it stops or is cut off. Each task may be done twice.
struct Housekeeping: ServiceLifecycle.Service {
  private let madang: Madang
  private let settings: ServerSettings
  private let metrics: Metrics
  private let recent: RecentAddresses
  private let sockets: RoomSockets
  private let wakes = Wakes()

  init(
    _ madang: Madang, _ settings: ServerSettings, _ metrics: Metrics, _ recent: RecentAddresses, _ sockets: RoomSockets
  ) {
    (self.madang, self.settings, self.metrics) = (madang, settings, metrics)
    (self.recent, self.sockets) = (recent, sockets)
  }

  /// Uploads younger than this, in milliseconds, may still belong to a running request.
  private static let uploadAge: Int64 = 3_600_000

  /// How long deleted data stays for other servers, if there may be any.
  private var grace: Duration { settings.database.url == nil ? .zero : settings.deletionGrace }

  /// A room or workspace was deleted by any server. Returns at once.
  func clearDeletedSoon() { wakes.wake() }

  func run() async throws {
    let interval = settings.housekeepingInterval
    let clock = madang.clock
    await withTaskGroup { group in
      group.addTask { await every(interval, by: clock) { await tidyOwn() } }
      group.addTask {
        await every(interval, by: clock, atOnce: false) { if await mayTidy() { await tidyPeriodically() } }
      }
      group.addTask { await every(interval, by: clock, atOnce: false) { await sweep() } }
      group.addTask { await every(settings.housekeepingTurn, by: clock) { await takeTurn() } }
      group.addTask {
        await every(.seconds(settings.sockets.reviewInterval), by: clock) {
          await attempt { try await sockets.review() }
        }
      }
      await wakes.run {
        guard await mayTidy() else { return }
        await attempt { try await cancelWhenGracefulShutdown { try await clearDeleted() } }
      }
    }
  }

  /// Whether this server is the leader now. It is not while the database does not answer.
  private func leads() async -> Bool { (try? await madang.database.tryAdvisoryLock("housekeeping")) ?? false }

  /// Whether this server is the leader, and the database takes changes.
  private func mayTidy() async -> Bool {
    guard await leads() else { return false }
    return (try? await madang.readOnlyMode() == nil) ?? false
  }

  /// A new leader immediately does the work that the previous one may have left.
  private func takeTurn() async {
    let leads = await leads()
    await noteReadOnlyMode()
    if metrics.setLeads(leads), leads, await mayTidy() { await tidy() }
  }

  /// Other processes begin and end it.
  private func noteReadOnlyMode() async {
    let mode: ReadOnlyMode?
    do { mode = try await madang.readOnlyMode() } catch { return }
    guard metrics.setReadOnly(mode != nil) else { return }
    if let mode {
      madang.logger.warning(
        "the database is in read-only mode: changes by people are refused until 'madang admin read-only off'",
        metadata: ["since": "\(WireDate.string(mode.since))", "reason": "\(mode.reason)"])
    } else {
      madang.logger.notice("read-only mode has ended")
    }
  }

  /// Housekeeping of this server itself.
  private func tidyOwn() async {
    recent.noteConnected()
    await attempt { try await madang.surveyPasswords() }
  }

  private func tidy() async {
    await attempt { try await madang.forgetAddresses(olderThan: settings.sockets.recentWindow) }
    wakes.wake()
    await attempt { try await madang.forgetChanges() }
    await attempt { try await madang.removeExpiredSessions() }
    await attempt { try await madang.forgetAudit() }
    await attempt { try await madang.forgetInvitations() }
    await attempt {
      let (chats, files) = try await madang.deleteExpired()
      guard chats + files > 0 else { return }
      madang.logger.info(
        "chats and files were deleted because of their age", metadata: ["chats": "\(chats)", "files": "\(files)"])
      wakes.wake()
    }
    await attempt { try await madang.forgetLinks() }
    await attempt { try await madang.forgetAdministratorRemains() }
    await attempt { try await madang.forgetPlaces() }
    await attempt { try await madang.forgetMailCounts() }
    await attempt { try await madang.forgetWrongFileUsage() }
    await attempt { try await madang.forgetAnnouncements() }
    await attempt { try await madang.forgetDeletedSignIns() }
  }

  /// The leader's work, with the tasks that run only periodically, never at the start: an operator who started with a wrong
  /// clock or unannounced settings has time to notice.
  private func tidyPeriodically() async {
    await tidy()
    await attempt {
      // Without confirmation the days do not count; they begin when it is switched on.
      guard settings.registration.confirmation != .off else {
        return try await madang.restartWait(for: .confirmation)
      }
      let deleted = try await madang.deleteUnconfirmed()
      guard deleted > 0 else { return }
      madang.logger.info("unconfirmed accounts were deleted", metadata: ["accounts": "\(deleted)"])
    }
    await attempt {
      let deleted = try await madang.deletePending()
      guard deleted > 0 else { return }
      madang.logger.info("unapproved accounts were deleted", metadata: ["accounts": "\(deleted)"])
    }
  }

  private func sweep() async {
    await attempt { try await madang.removeUploads(olderThan: Self.uploadAge) }
    guard await mayTidy() else { return }
    await attempt { try await madang.sweepFiles(olderThan: Self.uploadAge) }
  }

  /// Rows first: they name the files.
  private func clearDeleted() async throws {
    while case let places = try await madang.deletedPlaces(), !places.isEmpty {
      // Rows that exist now are kept for the whole grace period, measured from here: their dates come from other servers' clocks.
      if grace > .zero { try await madang.clock.sleep(for: grace) }
      try await madang.clearDeleted(places)
      try await madang.removeRetiredFiles()
    }
    try await madang.removeRetiredFiles()
  }

  private func attempt(_ chore: () async throws -> Void) async {
    do { try await chore() } catch is CancellationError {
    } catch let error as StorageError where error.code == .writesStopped {
      // Read-only mode began meanwhile.
    } catch {
      madang.logger.warning("housekeeping failed", metadata: ["error": "\(String(reflecting: error))"])
    }
  }
}
