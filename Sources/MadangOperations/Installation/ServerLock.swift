import Foundation
import MadangCore
import Storage

extension ServerSettings {
  /// Whether a server runs on the embedded database. It does not tell of servers on PostgreSQL.
  package var isServed: Bool {
    guard database.url == nil else { return false }
    let file = dataDirectory.appending(path: "server.lock").path
    guard FileManager.default.fileExists(atPath: file) else { return false }
    let lock = FileLock(path: file)
    defer { lock.release() }
    return (try? lock.takeAlone()) == false
  }

  /// Takes what the one server of an embedded database has for as long as it runs: others would not hear what it commits.
  /// Nil on PostgreSQL, which is for several. Let go of with the value.
  ///
  /// - Parameter cure: What to do if a server has it.
  /// - Throws: ``SetupError`` if a server has it, or it cannot be locked.
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
