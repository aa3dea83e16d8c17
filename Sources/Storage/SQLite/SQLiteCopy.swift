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

  fileprivate func read<Success: Sendable>(
    logger: Logger, _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    var configuration = DatabaseConfiguration(.sqlite(path: target))
    configuration.readers = 1
    configuration.statementTimeout = .zero
    let database = try await Database(configuration, logger: logger)
    let result: Result<Success, any Error>
    do { result = .success(try await database.read(body)) } catch { result = .failure(error) }
    await database.close()
    return try result.get()
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

extension Database {
  /// Copies the committed data to a new file, as fast as the disk allows. Throws `.other` on PostgreSQL, which makes its own copies.
  package func copy(to path: String) async throws {
    guard let source = source.sqlitePath else { throw StorageError(.other, "PostgreSQL copies its databases itself") }
    let copy = SQLiteCopy(source: source, target: path, busyTimeout: self.source.busyTimeout, pace: .full)
    let worker = WorkerPool(name: "copy", threads: 1, queueLimit: 1)
    defer { worker.shutdown() }
    try await worker.run { try copy.make() }
  }

  /// Runs the body against one snapshot of the committed data, however long it takes, while others write. The body may run more than once.
  /// Errors as with `read`.
  ///
  /// A long read would keep SQLite's log from being emptied. So on SQLite the body reads a copy, which is made in `folder` at the given
  /// pace and removed afterwards.
  package func readAtLength<Success: Sendable>(
    copyIn folder: URL, _ pace: Pace, logger: Logger, _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    guard let path = source.sqlitePath else { return try await read(body) }
    let copy = SQLiteCopy(
      source: path, target: folder.appending(path: "copy.sqlite").path, busyTimeout: source.busyTimeout, pace: pace)
    let worker = WorkerPool(name: "copy", threads: 1, queueLimit: 1)
    let result: Result<Success, any Error>
    do {
      try await worker.run { try copy.make() }
      result = .success(try await copy.read(logger: logger, body))
    } catch {
      result = .failure(error)
    }
    // Not in a task that may be cancelled: a copy that is left would block the next one.
    await Task { try? await worker.run { copy.remove() } }.value
    return try result.get()
  }
}
