import CSQLite
import Foundation
import Logging

/// One connection to an SQLite file in WAL mode.
final class SQLiteConnection: Connection {
  private let database: OpaquePointer
  private var statements: StatementCache<SQLiteStatement>
  private let deadline: SQLiteDeadline
  /// Only for the writer: a reader must not wait for other readers.
  private let logLimit: SQLiteLogLimit?
  private let busyTimeout: CInt
  /// Nil for a reader, which commits nothing.
  private let checkpoint: SQLiteCheckpoint?
  /// Nil for a reader and for a temporary file.
  private let watch: SQLiteFileWatch?
  /// The identity of the write-ahead log that this connection has open.
  private var log: FileIdentity?
  private(set) var changes = 0
  private(set) var isStopped = false
  private(set) var isUsable = true
  /// Why SQLite rolled back the present transaction by itself. A later statement would be committed at once.
  private var rollback: EngineFailure?

  /// Turns off SQLite's memory statistics, which take a lock at each allocation. If other code in the process has used SQLite before, the
  /// setting stays unchanged.
  private static let countsNoMemory = madang_sqlite_count_no_memory() == SQLITE_OK

  /// - Parameter makes: Whether a missing file is created.
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

  let isRemote = false
  var transaction: TransactionState { sqlite3_get_autocommit(database) == 0 ? .open : .none }

  func begin(_ access: Access, stop: SQL?) throws(EngineFailure) {
    (isStopped, rollback) = (false, nil)
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

  /// Throws `.exchanged` if writes would go to a file that the next start does not find.
  private func refuseExchangedFile() throws(EngineFailure) {
    guard let watch else { return }
    switch watch.problem {
    case .exchanged:
      // Checkpoint everything into the file that was moved away. Otherwise the log, which lies beside the path, would be taken for the log
      // of the new file.
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
  /// COMMIT returns only when it is done.
  func settles(within limit: Duration) -> Bool { true }
  func sees(_ other: any Connection) -> Bool { true }
  /// Schema changes run as scripts, which have no time limit here.
  func liftTimeouts() {}

  func discard() {
    guard transaction != .none else { return }
    // ROLLBACK fails only if no transaction is open.
    try? control(Self.rollBack)
  }

  func run(_ sql: SQL, _ row: (Row) throws -> Bool) throws -> Int {
    if let rollback { throw rollback }
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
    // SQLite counts changed rows when a statement ends; a statement whose rows were not all read has not ended.
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
    // Cached statements may describe columns that the script changes.
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

  /// Returns a statement to run. The caller must call `finish`.
  private func take(_ template: SQLTemplate) throws(EngineFailure) -> SQLiteStatement {
    let key = StatementKey(template: template)
    if let known = statements.use(key) {
      // A caller that reads the rows of this statement may run the same one again.
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
    // SQLite reports the id of the row that was inserted last, also after an update.
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

  /// Finalizes a statement that left the cache, now or when it stops running.
  private func letGo(_ statement: SQLiteStatement) {
    statement.isKept = false
    if !statement.isRunning { sqlite3_finalize(statement.handle) }
  }

  private func failure(_ code: CInt, _ text: String) -> EngineFailure {
    let failure = EngineFailure(sqlite: code, database, sql: text)
    if failure.cause.code == .connectionLost { isUsable = false }
    if transaction == .none, rollback == nil { rollback = failure }
    return failure
  }

  private func finalizeAll() {
    for statement in statements.removeAll() { letGo(statement) }
  }
}
