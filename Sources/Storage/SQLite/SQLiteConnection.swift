import CSQLite
import Foundation
import Logging

/// One connection to an SQLite file in WAL mode.
final class SQLiteConnection: Connection {
  private let database: OpaquePointer
  private var statements: StatementCache<SQLiteStatement>
  private let deadline: SQLiteDeadline
  /// Of the writer only: a reader must not wait for other readers.
  private let logLimit: SQLiteLogLimit?
  private let busyTimeout: CInt
  /// Nil for a reader, which commits nothing.
  private let checkpoint: SQLiteCheckpoint?
  /// Nil for a reader, and for a file that is to vanish.
  private let watch: SQLiteFileWatch?
  /// Of the write-ahead log that this connection has open.
  private var log: FileIdentity?
  private(set) var changes = 0
  private(set) var isStopped = false
  private(set) var isUsable = true

  /// SQLite keeps no count of the memory it uses, which would take a lock at each allocation. Where something else in the process has used
  /// SQLite before it stays as it is.
  private static let countsNoMemory = madang_sqlite_count_no_memory() == SQLITE_OK

  /// - Parameter makes: whether the file is made when there is none.
  init(
    path: String, durable: Bool, access: Access, makes: Bool, watch: SQLiteFileWatch?,
    _ configuration: DatabaseConfiguration, _ logger: Logger
  ) throws(EngineFailure) {
    _ = Self.countsNoMemory
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &handle, makes ? flags | SQLITE_OPEN_CREATE : flags, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw EngineFailure(sqlite: code, handle)
    }
    database = handle
    statements = StatementCache(limit: configuration.statementCacheLimit)
    deadline = SQLiteDeadline(limit: configuration.statementTimeout)
    logLimit = access == .write ? SQLiteLogLimit(path: path, limit: configuration.walLimit, logger) : nil
    checkpoint = access == .write ? SQLiteCheckpoint(configuration) : nil
    self.watch = access == .write ? watch : nil
    busyTimeout = CInt(clamping: configuration.busyTimeout.milliseconds)
    sqlite3_busy_timeout(database, busyTimeout)
    deadline.watch(database)
    do {
      try script(
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = \(durable ? "FULL" : "OFF");
        PRAGMA foreign_keys = ON;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = \(-configuration.cacheBytes / 1024);
        -- A mapped page that the disk cannot give ends the process; read, it fails one statement.
        PRAGMA mmap_size = 0;
        PRAGMA journal_size_limit = \(configuration.walLimit);
        PRAGMA query_only = \(access == .read ? "ON" : "OFF");
        """)
      try openedFile(watch, path)
    } catch {
      close()
      throw error
    }
    checkpoint?.watch(database)
  }

  var transaction: TransactionState { sqlite3_get_autocommit(database) == 0 ? .open : .none }

  func begin(_ access: Access, stop: SQL?) throws(EngineFailure) {
    isStopped = false
    if access == .write { try refuseExchangedFile() }
    try control(access == .write ? Self.beginWrite : Self.beginRead)
    guard let stop else { return }
    do {
      _ = try run(stop) { _ in
        isStopped = true
        return false
      }
    } catch {
      throw error as? EngineFailure ?? EngineFailure(StorageError(.other, "\(error)"))
    }
  }

  private func openedFile(_ watch: SQLiteFileWatch?, _ path: String) throws(EngineFailure) {
    do { try watch?.opened() } catch { throw EngineFailure(error) }
    log = FileIdentity(path: path + "-wal")
  }

  /// Throws `.exchanged` if what is written would go to a file that the next start does not find.
  private func refuseExchangedFile() throws(EngineFailure) {
    guard let watch else { return }
    switch watch.problem {
    case .exchanged:
      // The file that was moved away gets all that was committed. Else the log, which lies beside its path, would be taken for
      // the log of the file that is there now.
      checkpoint?.runAtOnce(on: database, busyTimeout: busyTimeout)
      throw EngineFailure(watch.failure(.exchanged))
    case .overwritten: throw EngineFailure(watch.failure(.overwritten))
    case nil: break
    }
    let now = FileIdentity(path: watch.path + "-wal")
    if log == nil { log = now }
    guard now != log else { return }
    checkpoint?.runAtOnce(on: database, busyTimeout: busyTimeout)
    throw EngineFailure(watch.failureOfLog)
  }

  func savepoint() throws(EngineFailure) { try control(Self.savepoint) }
  func releaseSavepoint() throws(EngineFailure) { try control(Self.release) }

  func rollBackToSavepoint() throws(EngineFailure) {
    try control(Self.rollBackToSavepoint)
    try control(Self.release)
  }

  func commit() throws(EngineFailure) { try control(Self.commit) }
  /// COMMIT has always answered.
  func settles(within limit: Duration) -> Bool { true }
  func sees(_ other: any Connection) -> Bool { true }
  /// What changes a schema is a script, which has none.
  func liftTimeouts() {}

  func discard() {
    guard transaction != .none else { return }
    // ROLLBACK fails only where there is no transaction left to end.
    try? control(Self.rollBack)
  }

  func run(_ sql: SQL, _ row: (Row) throws -> Bool) throws -> Int {
    let statement = try take(sql.template)
    let before = sqlite3_total_changes64(database)
    defer {
      finish(statement)
      if statement.changesMoreThanRows || sqlite3_total_changes64(database) != before { changes += 1 }
    }
    deadline.start()
    let code = statement.bind(sql.parameters)
    guard code == SQLITE_OK else { throw failure(code, sql.template.text(for: .sqlite)) }
    stepping: while true {
      switch sqlite3_step(statement.handle) {
      case SQLITE_ROW: if try !row(statement.row) { break stepping }
      case SQLITE_DONE: break stepping
      case let code: throw failure(code, sql.template.text(for: .sqlite))
      }
    }
    // Rows are counted when the statement ends, which one does not whose rows were not all wanted.
    sqlite3_reset(statement.handle)
    guard sqlite3_total_changes64(database) != before else { return 0 }
    let count = Int(sqlite3_changes64(database))
    if statement.returnsID {
      guard count == 1 else {
        let message = "of \(count) rows only the last one's id is known"
        throw EngineFailure(StorageError(.other, message, sql: sql.template.text(for: .sqlite)))
      }
      _ = try row(.ofID(sqlite3_last_insert_rowid(database)))
    }
    return count
  }

  func run(_ statements: [SQL]) throws(EngineFailure) -> [StatementAnswer] {
    do {
      return try statements.map { sql in
        let before = changes
        var answer = StatementAnswer()
        answer.count = try run(sql) { row in
          answer.rows.append(row)
          return true
        }
        answer.hasChanged = changes > before
        return answer
      }
    } catch {
      throw error as? EngineFailure ?? EngineFailure(StorageError(.other, "\(error)"))
    }
  }

  func stream(_ sql: SQL, _ row: (Row) throws -> Void) throws {
    _ = try run(sql) { next in
      try row(next)
      return true
    }
  }

  func script(_ text: String) throws(EngineFailure) {
    deadline.suspend()
    changes += 1
    // What is cached may describe columns that the script changes.
    finalizeAll()
    let code = sqlite3_exec(database, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, text) }
  }

  func tidy() {
    checkpoint?.runIfDue(on: database)
    logLimit?.enforce(on: database, busyTimeout: busyTimeout)
  }

  func close() {
    finalizeAll()
    sqlite3_close_v2(database)
  }

  private static let beginWrite = SQLTemplate("BEGIN IMMEDIATE")
  private static let beginRead = SQLTemplate("BEGIN DEFERRED")
  private static let savepoint = SQLTemplate("SAVEPOINT one_write")
  private static let release = SQLTemplate("RELEASE one_write")
  private static let rollBackToSavepoint = SQLTemplate("ROLLBACK TO one_write")
  private static let commit = SQLTemplate("COMMIT")
  private static let rollBack = SQLTemplate("ROLLBACK")

  private func control(_ template: SQLTemplate) throws(EngineFailure) {
    deadline.suspend()
    let statement = try take(template)
    let code = sqlite3_step(statement.handle)
    defer { finish(statement) }
    guard code == SQLITE_DONE else { throw failure(code, template.text(for: .sqlite)) }
  }

  /// One to run. It is to be finished.
  private func take(_ template: SQLTemplate) throws(EngineFailure) -> SQLiteStatement {
    let key = StatementKey(template: template)
    if let known = statements.use(key) {
      // Whoever reads its rows may ask the same once more.
      guard !known.isRunning else { return try prepare(template) }
      known.isRunning = true
      return known
    }
    let statement = try prepare(template)
    statement.isKept = true
    if let evicted = statements.keep(statement, for: key) { letGo(evicted) }
    return statement
  }

  private func prepare(_ template: SQLTemplate) throws(EngineFailure) -> SQLiteStatement {
    let text = template.text(for: .sqlite)
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK else { throw failure(code, text) }
    guard let handle else { throw EngineFailure(StorageError(.syntax, "empty statement", sql: text)) }
    // SQLite tells the id of the row that was inserted last, whatever a statement has updated.
    guard !template.returnsID || text.hasPrefix("INSERT") && !text.contains("DO UPDATE") else {
      sqlite3_finalize(handle)
      throw EngineFailure(StorageError(.syntax, "only an INSERT without DO UPDATE answers a new id", sql: text))
    }
    return SQLiteStatement(handle: handle, text: text, returnsID: template.returnsID)
  }

  private func finish(_ statement: SQLiteStatement) {
    sqlite3_reset(statement.handle)
    sqlite3_clear_bindings(statement.handle)
    statement.isRunning = false
    if !statement.isKept { sqlite3_finalize(statement.handle) }
  }

  /// Has a statement finalized that is not kept any more, as soon as it does not run.
  private func letGo(_ statement: SQLiteStatement) {
    statement.isKept = false
    if !statement.isRunning { sqlite3_finalize(statement.handle) }
  }

  private func failure(_ code: CInt, _ text: String) -> EngineFailure {
    let failure = EngineFailure(sqlite: code, database, sql: text)
    if failure.cause.code == .connectionLost { isUsable = false }
    return failure
  }

  private func finalizeAll() {
    for statement in statements.removeAll() { letGo(statement) }
  }
}
