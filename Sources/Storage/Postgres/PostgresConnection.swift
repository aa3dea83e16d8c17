import CPostgres
import Logging

/// One connection to PostgreSQL. The commands that frame a transaction are queued and travel with the next statement that needs an answer,
/// so they cost no round trip.
final class PostgresConnection: Connection {
  private let pipeline: PostgresPipeline
  private(set) var changes = 0
  private var cursors = 0
  private let configuration: DatabaseConfiguration
  /// Identifies the session among all sessions of all servers.
  private var session = ""
  /// Rows that `stream` fetches at a time.
  private static let fetchSize = 500

  init(
    url: String, access: Access, _ configuration: DatabaseConfiguration, _ logger: Logger
  ) throws(EngineFailure) {
    self.configuration = configuration
    pipeline = try PostgresPipeline(url: url, access: access, configuration, logger)
    do {
      let name: SQL = "SELECT \(sql: Self.sessionName) AS name FROM pg_stat_activity WHERE pid = pg_backend_pid()"
      try pipeline.answer(to: name).forEachRow { row in
        session = try row.get("name")
        return false
      }
    } catch {
      close()
      throw error as? EngineFailure ?? EngineFailure(StorageError(.other, "\(error)"))
    }
  }

  private static let sessionName: SQL = "CONCAT(pid, ' since ', backend_start)"

  /// Whether a pooler is between this process and PostgreSQL.
  var isPooled: Bool { !session.hasPrefix("\(pipeline.toldBackend) ") }

  let isRemote = true
  var transaction: TransactionState { pipeline.transaction }
  var isUsable: Bool { pipeline.isUsable }
  var isStopped: Bool { pipeline.isStopped }

  func begin(_ access: Access, stop: SQL?) throws(EngineFailure) {
    pipeline.patience = configuration.answerLimit
    try pipeline.dropGarbage()
    try pipeline.queue(access == .write ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    try pipeline.askForStop(stop)
  }

  func savepoint() throws(EngineFailure) { try pipeline.queue("SAVEPOINT one_write") }
  func releaseSavepoint() throws(EngineFailure) { try pipeline.queue("RELEASE SAVEPOINT one_write") }

  func rollBackToSavepoint() throws(EngineFailure) {
    try pipeline.queue("ROLLBACK TO SAVEPOINT one_write")
    try releaseSavepoint()
  }

  func commit() throws(EngineFailure) {
    let command = try pipeline.commit(within: configuration.commitTimeout).command
    // PostgreSQL answers ROLLBACK if it had to roll back instead.
    guard command == "COMMIT" else { throw EngineFailure(StorageError(.other, "COMMIT was answered with \(command)")) }
  }

  func settles(within limit: Duration) -> Bool { pipeline.settles(within: limit) }

  func sees(_ other: any Connection) throws -> Bool {
    guard let other = other as? PostgresConnection else { return false }
    var isThere = false
    try pipeline.answer(to: "SELECT 1 FROM pg_stat_activity WHERE \(sql: Self.sessionName) = \(other.session)")
      .forEachRow { _ in
        isThere = true
        return false
      }
    return isThere
  }

  func liftTimeouts() throws {
    pipeline.patience = nil
    for setting: SQL in ["SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = 0"] {
      _ = try pipeline.answer(to: setting)
    }
  }

  func discard() {
    guard transaction != .none else { return }
    // The next use of the connection reads the answer and notices a lost connection.
    try? pipeline.dispatch("ROLLBACK")
  }

  func run(_ sql: SQL, _ row: (Row) throws -> Bool) throws -> Int {
    let result = try pipeline.answer(to: sql)
    if result.hasChanged { changes += 1 }
    try result.forEachRow(row)
    return result.changes
  }

  func run(_ statements: [SQL]) throws(EngineFailure) -> [StatementAnswer] {
    try pipeline.answers(to: statements).map { result in
      if result.hasChanged { changes += 1 }
      return StatementAnswer(rows: result.rows, count: result.changes, hasChanged: result.hasChanged)
    }
  }

  func stream(_ sql: SQL, _ row: (Row) throws -> Void) throws {
    cursors += 1
    // Each cursor has its own name: the server remembers the columns of a prepared FETCH by it.
    let cursor: SQL = "rows_\(raw: "\(cursors)")"
    _ = try pipeline.answer(to: "DECLARE \(sql: cursor) NO SCROLL CURSOR FOR \(sql: sql)")
    var count = 0
    repeat {
      count = 0
      try pipeline.answer(to: "FETCH \(raw: "\(Self.fetchSize)") FROM \(sql: cursor)").forEachRow { next in
        count += 1
        try row(next)
        return true
      }
    } while count == Self.fetchSize
    _ = try pipeline.answer(to: "CLOSE \(sql: cursor)")
  }

  func script(_ text: String) throws(EngineFailure) {
    changes += 1
    try pipeline.script(text)
  }

  func tidy() {}
  func close() { pipeline.close() }
}
