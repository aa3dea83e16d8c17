import Logging
import MadangCore
import MadangOperations
import ServiceLifecycle
import Storage

/// Posts announcements in one channel after the other, by one server of the database, so slowly that other chats do not
/// wait for them. Announcements wait in the database: none is lost when a server stops, and none is posted twice.
struct AnnouncementQueue: ServiceLifecycle.Service {
  let madang: Madang

  /// How often to look for announcements.
  private static let interval: Duration = .seconds(5)

  func run() async throws {
    await every(Self.interval, by: madang.clock) {
      do { try await post() } catch is CancellationError {
      } catch let error as StorageError where error.code == .writesStopped {
        // Announcements wait for the end of read-only mode.
      } catch {
        madang.logger.warning("an announcement waits", metadata: ["error": "\(String(reflecting: error))"])
      }
    }
  }

  private func post() async throws {
    while try await madang.database.tryAdvisoryLock("announcements"), try await madang.postAnnouncement() {
      try Task.checkCancellation()
      let rate = madang.settings.workspaces.announcementRate
      if rate > 0 { try await madang.clock.sleep(for: .seconds(1) / rate) }
    }
  }
}
