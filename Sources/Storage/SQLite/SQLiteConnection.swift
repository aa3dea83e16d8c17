import CSQLite
import Foundation

/// One connection to an SQLite file in WAL mode.
final class SQLiteConnection: Connection {
  private let database: OpaquePointer
  private var statements: StatementCache<SQLiteStatement>
  private let deadline: SQLiteDeadline

  init(path: String, durable: Bool, access: Access, _ configuration: DatabaseConfiguration) throws(EngineFailure) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw EngineFailure(sqlite: code, handle)
    }
    database = handle
    statements = StatementCache(limit: configuration.statementCacheLimit)
    deadline = SQLiteDeadline(limit: configuration.statementTimeout)
    sqlite3_busy_timeout(database, CInt(clamping: configuration.busyTimeout.milliseconds))
    deadline.watch(database)
    do {
      try script(
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = \(durable ? "FULL" : "OFF");
        PRAGMA foreign_keys = ON;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = \(-configuration.cacheBytes / 1024);
        PRAGMA mmap_size = \(configuration.mapBytes);
        PRAGMA query_only = \(access == .read ? "ON" : "OFF");
        """)
    } catch {
      close()
      throw error
    }
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }
  var isUsable: Bool { true }

  func begin(_ access: Access) throws(EngineFailure) {
    try control(access == .write ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED")
  }

  func savepoint() throws(EngineFailure) { try control("SAVEPOINT one_write") }
  func releaseSavepoint() throws(EngineFailure) { try control("RELEASE one_write") }

  func rollBackToSavepoint() throws(EngineFailure) {
    try control("ROLLBACK TO one_write")
    try control("RELEASE one_write")
  }

  func commit() throws(EngineFailure) { try control("COMMIT") }

  func discard() {
    guard isInTransaction else { return }
    // ROLLBACK fails only where there is no transaction left to end.
    try? control("ROLLBACK")
  }

  func run(_ sql: SQL, _ row: (Row) throws -> Bool) throws -> Int {
    let text = sql.text
    let statement = try take(text)
    defer { keep(statement, text) }
    deadline.start()
    let code = statement.bind(sql.parameters)
    guard code == SQLITE_OK else { throw EngineFailure(sqlite: code, database, sql: text) }
    let before = sqlite3_total_changes64(database)
    stepping: while true {
      switch sqlite3_step(statement.handle) {
      case SQLITE_ROW: if try !row(statement.row) { break stepping }
      case SQLITE_DONE: break stepping
      case let code: throw EngineFailure(sqlite: code, database, sql: text)
      }
    }
    return sqlite3_total_changes64(database) == before ? 0 : Int(sqlite3_changes64(database))
  }

  func script(_ text: String) throws(EngineFailure) {
    deadline.suspend()
    // What is cached may describe columns that the script changes.
    finalizeAll()
    let code = sqlite3_exec(database, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw EngineFailure(sqlite: code, database, sql: text) }
  }

  func close() {
    finalizeAll()
    sqlite3_close_v2(database)
  }

  private func control(_ text: String) throws(EngineFailure) {
    deadline.suspend()
    let statement = try take(text)
    let code = sqlite3_step(statement.handle)
    defer { keep(statement, text) }
    guard code == SQLITE_DONE else { throw EngineFailure(sqlite: code, database, sql: text) }
  }

  private func take(_ text: String) throws(EngineFailure) -> SQLiteStatement {
    if let statement = statements.take(text) { return statement }
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK else { throw EngineFailure(sqlite: code, database, sql: text) }
    guard let handle else { throw EngineFailure(StorageError(.syntax, "empty statement", sql: text)) }
    return SQLiteStatement(handle: handle)
  }

  private func keep(_ statement: SQLiteStatement, _ text: String) {
    sqlite3_reset(statement.handle)
    sqlite3_clear_bindings(statement.handle)
    if let evicted = statements.keep(statement, for: text) { sqlite3_finalize(evicted.handle) }
  }

  private func finalizeAll() {
    for statement in statements.removeAll() { sqlite3_finalize(statement.handle) }
  }
}
