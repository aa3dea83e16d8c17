import CSQLite
import Foundation
import Logging

/// Copies an SQLite database in use, by SQLite's backup interface, from one snapshot. Its calls block.
struct SQLiteCopy {
  /// Pages copied at a time.
  private static let step: CInt = 64
  /// Bytes between flushes of the copy; a large amount of unflushed data would delay the flush of another COMMIT.
  private static let flushInterval = 256 << 10
  /// Bytes that are freed at a time: freeing a large file at once delays other flushes.
  private static let freeInterval: Int64 = 4 << 20

  let source: String
  let target: String
  let busyTimeout: Duration
  let pace: Pace

  /// Throws `.diskFull` or another error of SQLite. A partial copy is useless then.
  func make() throws(StorageError) {
    do throws(EngineFailure) {
      let source = try open(source, flags: SQLITE_OPEN_READWRITE)
      defer { sqlite3_close_v2(source) }
      // Readable for its owner only, independent of the umask. SQLite gives the same mode to the copy's log.
      let made = Foundation.open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard made >= 0 else {
        throw EngineFailure(StorageError(.other, "\(target): \(String(cString: strerror(errno)))"))
      }
      close(made)
      let target = try open(target, flags: SQLITE_OPEN_READWRITE)
      defer { sqlite3_close_v2(target) }
      // The caller flushes the copy, if it must last.
      try run("PRAGMA synchronous = OFF", on: target)
      // A read transaction keeps its snapshot between the steps; without it, each write by others would restart the copy.
      try run("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1", on: source)
      try copy(source, to: target)
    } catch {
      throw error.cause
    }
  }

  /// Removes the copy and SQLite's files beside it.
  func remove() {
    var rests = Rests(pace)
    var status = stat()
    var size = lstat(target, &status) == 0 ? Int64(status.st_size) : 0
    while size > Self.freeInterval {
      size -= Self.freeInterval
      guard truncate(target, off_t(size)) == 0 else { break }
      rests.rest()
    }
    for suffix in ["", "-wal", "-shm", "-journal", "-lock"] {
      try? FileManager.default.removeItem(atPath: target + suffix)
    }
  }

  private func copy(_ source: OpaquePointer, to target: OpaquePointer) throws(EngineFailure) {
    guard let backup = sqlite3_backup_init(target, "main", source, "main") else {
      throw EngineFailure(sqlite: sqlite3_extended_errcode(target), target)
    }
    let descriptor = Foundation.open(self.target, O_RDWR | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    var (code, unflushed) = (SQLITE_OK, 0)
    var rests = Rests(pace)
    while code == SQLITE_OK {
      code = sqlite3_backup_step(backup, Self.step)
      unflushed += Int(Self.step) * 4096
      if unflushed >= Self.flushInterval, descriptor >= 0 {
        fsync(descriptor)
        unflushed = 0
      }
      rests.rest()
    }
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw EngineFailure(sqlite: code == SQLITE_DONE ? end : code, target)
    }
  }

  private func open(_ path: String, flags: CInt) throws(EngineFailure) -> OpaquePointer {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw EngineFailure(sqlite: code, handle)
    }
    sqlite3_busy_timeout(handle, CInt(clamping: busyTimeout.milliseconds))
    return handle
  }

  private func run(_ text: String, on database: OpaquePointer) throws(EngineFailure) {
    let code = sqlite3_exec(database, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw EngineFailure(sqlite: code, database, sql: text) }
  }
}
