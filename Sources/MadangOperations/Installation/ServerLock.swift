import Foundation
import MadangCore
import Storage

extension ServerSettings {
  /// Whether a server runs on the embedded database. Servers on PostgreSQL are not detected.
  package var isServed: Bool {
    guard database.url == nil else { return false }
    let file = dataDirectory.appending(path: "server.lock").path
    guard FileManager.default.fileExists(atPath: file) else { return false }
    let lock = FileLock(path: file)
    defer { lock.release() }
    return (try? lock.takeAlone()) == false
  }

  /// Takes the lock of the one server of an embedded database: other servers would miss its commits. Nil on PostgreSQL,
  /// which allows several servers. Released with the value.
  ///
  /// - Parameter cure: The cure if another server holds it.
  /// - Throws: ``SetupError`` if another server holds it, or it cannot be locked.
  package func takeServerLock(cure: String) throws -> FileLock? {
    guard database.url == nil else { return nil }
    let lock = FileLock(path: dataDirectory.appending(path: "server.lock").path)
    do {
      guard try lock.takeAlone() else { throw SetupError("a server runs on \(dataDirectory.path); \(cure)") }
    } catch let error as StorageError {
      throw SetupError(error.message)
    }
    return lock
  }
}
