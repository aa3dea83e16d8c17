import CSQLite
import Foundation

/// Looks at an SQLite file before anything is written to it: whether the write-ahead log that lies beside it belongs to it.
///
/// A log that was left by another file, because files were exchanged by hand, destroys the database once it is brought into it.
/// So nothing is brought into it here. All of the file is read only if it is small, or if its log may be another file's.
struct SQLiteFileCheck {
  /// Where a database keeps which file it is: its inode.
  package static let identityName = "database_file"

  let path: String
  /// Bytes up to which all of it is read.
  let limit: Int

  /// Throws `.damaged`.
  func run() throws(StorageError) {
    guard let size = Self.size(of: path), size > 0 else { return }
    let log = Self.size(of: path + "-wal") ?? 0
    do throws(EngineFailure) {
      let database = try open()
      defer { sqlite3_close_v2(database) }
      var isToBeRead = size + log <= limit
      if !isToBeRead, log > 0 { isToBeRead = try isForeign(database, size: size) }
      guard isToBeRead else { return }
      let report = try text("PRAGMA quick_check(1)", on: database) ?? ""
      guard report == "ok" else { throw EngineFailure(StorageError(.damaged, report)) }
    } catch {
      // A busy or unreadable file is for the connection that is opened next.
      guard error.cause.code == .damaged || error.cause.message.hasPrefix("SQLite \(SQLITE_NOTADB):") else { return }
      throw StorageError(.damaged, error.cause.message)
    }
  }

  /// Whether the log may be another file's: the file is a copy, or lacks pages that it should have.
  private func isForeign(_ database: OpaquePointer, size: Int) throws(EngineFailure) -> Bool {
    let pageSize = try number("PRAGMA page_size", on: database)
    let pages = try number("PRAGMA page_count", on: database)
    let own = FileIdentity(path: path).map { "\($0.inode)" }
    let known = try knownIdentity(database)
    return (known != nil && known != own) || pages > size / max(1, pageSize) + logPages(pageSize)
      || isYoungerThanLog
  }

  /// Whether the file was changed after its log, as a copy is that was put beside the log of the file before. So is a file whose log was just
  /// brought into it, for which reading it once too often does no harm.
  private var isYoungerThanLog: Bool {
    var (file, log) = (stat(), stat())
    guard stat(path, &file) == 0, stat(path + "-wal", &log) == 0 else { return false }
    #if canImport(Darwin)
      let (own, other) = (file.st_ctimespec, log.st_ctimespec)
    #else
      let (own, other) = (file.st_ctim, log.st_ctim)
    #endif
    return (own.tv_sec, own.tv_nsec) > (other.tv_sec, other.tv_nsec)
  }

  /// How many pages the log holds at most.
  private func logPages(_ pageSize: Int) -> Int { (Self.size(of: path + "-wal") ?? 0) / (pageSize + 24) }

  /// Nil in a database of an older version, and in one that was never served.
  private func knownIdentity(_ database: OpaquePointer) throws(EngineFailure) -> String? {
    guard try number("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'installation'", on: database) > 0 else {
      return nil
    }
    return try text("SELECT value FROM installation WHERE name = '\(Self.identityName)'", on: database)
  }

  private func open() throws(EngineFailure) -> OpaquePointer {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw EngineFailure(sqlite: code, handle)
    }
    sqlite3_busy_timeout(handle, 1000)
    // Else the last connection that is closed would bring the log into the file.
    madang_sqlite_no_checkpoint_on_close(handle)
    return handle
  }

  private func number(_ sql: String, on database: OpaquePointer) throws(EngineFailure) -> Int {
    try text(sql, on: database).flatMap { Int($0) } ?? 0
  }

  private func text(_ sql: String, on database: OpaquePointer) throws(EngineFailure) -> String? {
    var statement: OpaquePointer?
    var code = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    guard code == SQLITE_OK else { throw EngineFailure(sqlite: code, database, sql: sql) }
    code = sqlite3_step(statement)
    guard code == SQLITE_ROW else {
      guard code == SQLITE_DONE else { throw EngineFailure(sqlite: code, database, sql: sql) }
      return nil
    }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  }

  private static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }
}

extension Database {
  /// Looks at an SQLite file that is to be opened. Throws `.damaged` if it is damaged, or its write-ahead log is another file's.
  /// - Parameter limit: Bytes up to which all of it is read; beyond that only if its log may be another file's.
  package static func checkFile(at path: String, readingUpTo limit: Int) async throws {
    let worker = WorkerPool(name: "check", threads: 1, queueLimit: 1)
    defer { worker.shutdown() }
    try await worker.run { try SQLiteFileCheck(path: path, limit: limit).run() }
  }

  /// Which file this is, as the file's own table says it; nil on PostgreSQL.
  package var fileIdentity: (name: String, value: String)? {
    guard let path = source.sqlitePath, let identity = FileIdentity(path: path) else { return nil }
    return (SQLiteFileCheck.identityName, "\(identity.inode)")
  }
}
