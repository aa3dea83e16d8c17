import CSQLite
import Foundation

/// Checks an SQLite file before anything is written to it: does the write-ahead log beside it belong to it?
///
/// If files were exchanged by hand, the log may belong to another file, and checkpointing it destroys the database. So this check never
/// checkpoints. It reads the whole file only if the file is small, or if its log may belong to another file.
struct SQLiteFileCheck {
  /// The name under which a database stores its own inode.
  package static let identityName = "database_file"

  let path: String
  /// Size in bytes up to which the whole file is read.
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
      // The connection that is opened next reports a busy or unreadable file.
      guard error.cause.code == .damaged || error.cause.message.hasPrefix("SQLite \(SQLITE_NOTADB):") else { return }
      throw StorageError(.damaged, error.cause.message)
    }
  }

  /// Whether the log may belong to another file: the file is a copy, lacks pages, or was changed after the log.
  private func isForeign(_ database: OpaquePointer, size: Int) throws(EngineFailure) -> Bool {
    let pageSize = try number("PRAGMA page_size", on: database)
    let pages = try number("PRAGMA page_count", on: database)
    let own = FileIdentity(path: path).map { "\($0.inode)" }
    let known = try knownIdentity(database)
    return (known != nil && known != own) || pages > size / max(1, pageSize) + logPages(pageSize)
      || isYoungerThanLog
  }

  /// Whether the file was changed after its log, such as a copy that was put beside an old log. This is also true after a checkpoint; then
  /// the file is read once more than needed, which does no harm.
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

  /// The most pages that the log can hold.
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
    // Otherwise the last connection would checkpoint the log on close.
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
