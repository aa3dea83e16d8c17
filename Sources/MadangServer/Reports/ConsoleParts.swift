import MadangCore
import MadangOperations
import Synchronization

/// What a server keeps and does for the administrator's console.
package final class ConsoleParts: Sendable {
  let series = Series()
  package let backups: BackupWork
  package let doctor: DoctorRuns
  /// Of searches: one may look at 50,000 rows, or at all chats.
  package let searches = ListTurns(places: 1)
  /// Milliseconds since 1970.
  package let startedAt: Int64
  private let listed: Mutex<[Setting]>

  /// - Parameter signs: Signs of a proxy that the server has noticed.
  init(_ madang: Madang, _ settings: ServerSettings, signs: @escaping @Sendable () -> [LoopbackSign]) {
    let doctor = DoctorRuns(madang, settings, certificateEnd: { try $0.certificateEnd() }, signs: signs)
    self.doctor = doctor
    backups = BackupWork(madang, settings) { doctor.changed() }
    startedAt = madang.clock.now
    listed = Mutex(settings.listed)
  }

  /// The settings that the server uses.
  package var settings: [ListedSetting] { listed.withLock(\.self).map(ListedSetting.init) }

  func apply(_ settings: ServerSettings) { listed.withLock { $0 = settings.listed } }
}
