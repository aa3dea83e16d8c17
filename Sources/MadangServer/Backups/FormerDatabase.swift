import Foundation
import Storage

/// The embedded database in a data directory while another one takes its place; no server runs on it.
struct FormerDatabase {
  private let file: URL
  private let lock: FileLock?

  /// Nil if there is none.
  /// - Throws: ``SetupError`` if a server runs on it.
  init?(in settings: ServerSettings) throws {
    var settings = settings
    settings.databaseURL = nil
    file = settings.databaseFile
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    lock = try settings.takeServerLock(cure: "stop it first: what people do there meanwhile would be lost")
  }

  /// Renames it, so that nothing takes it for the installation's any more. Answers its new path.
  func putAside() throws -> String {
    let paths = (1...).lazy.map { number in file.path + (number == 1 ? ".moved" : ".moved-\(number)") }
    guard let target = paths.first(where: { !FileManager.default.fileExists(atPath: $0) }) else { return file.path }
    // Its log first, which is there after a crash: the database is not to be found without it.
    for suffix in ["-wal", "-shm", ""] where FileManager.default.fileExists(atPath: file.path + suffix) {
      try FileManager.default.moveItem(atPath: file.path + suffix, toPath: target + suffix)
    }
    return target
  }

  func release() { lock?.release() }
}
