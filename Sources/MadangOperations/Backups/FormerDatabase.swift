import Foundation
import Logging
import MadangCore
import Storage

/// The embedded database in a data directory while another one replaces it; no server uses it.
struct FormerDatabase {
  private let file: URL
  private let lock: FileLock?
  private let settings: ServerSettings

  /// Nil if there is none.
  /// - Throws: ``SetupError`` if a server runs on it.
  init?(in settings: ServerSettings) throws {
    var settings = settings
    settings.database.url = nil
    file = settings.databaseFile
    self.settings = settings
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    lock = try settings.takeServerLock(cure: "stop it first: changes by people meanwhile would be lost")
  }

  /// Throws ``AdministrationError`` if it has rows that the replacing backup lacks.
  func requireNothingNewer(than backup: Backup, _ logger: Logger) async throws {
    let madang = try await openMadang(
      settings.ofAdministrator, clock: Clock(), ids: IDSource(), pools: WorkerPools(settings), logger: logger,
      announce: { _ in }, prepare: { _ in })
    let newer: Result<[NewerRows], any Error>
    do { newer = .success(try await madang.newerRows(than: backup)) } catch { newer = .failure(error) }
    await madang.database.close()
    let words = try newer.get().map { "\($0.count) in \($0.table)" }
    guard !words.isEmpty else { return }
    throw AdministrationError(
      description:
        "\(backup.folder.path) is older than its database: \(file.path) has newer rows, "
        + "\(words.joined(separator: ", ")). Nothing was imported. Stop all servers, export again and import that; or give "
        + "--older: then only the renamed \(file.lastPathComponent) has the newer rows")
  }

  /// Renames it, so that it is no longer used as the installation's. Returns its new path.
  func putAside() throws -> String {
    let paths = (1...).lazy.map { number in file.path + (number == 1 ? ".moved" : ".moved-\(number)") }
    guard let target = paths.first(where: { !FileManager.default.fileExists(atPath: $0) }) else { return file.path }
    // Its log first, which exists after a crash: the database must not be found without it.
    for suffix in ["-wal", "-shm", ""] where FileManager.default.fileExists(atPath: file.path + suffix) {
      try FileManager.default.moveItem(atPath: file.path + suffix, toPath: target + suffix)
    }
    return target
  }

  func release() { lock?.release() }
}
