import CPostgres
import DequeModule
import Logging

/// libpq in pipeline mode: commands are sent without waiting, and their answers are read in order at the next synchronisation point
/// (PostgreSQL documentation, 34.5).
final class PostgresPipeline {
  private enum Command {
    case prepare(StatementKey)
    case statement(StatementKey)
    /// The query that returns a row if writes are stopped.
    case stop(StatementKey)
    case deallocate(name: String)
    case sync
  }

  /// How many statements that are sent together share one time limit.
  private static let statementsPerFlush = 16

  private let connection: OpaquePointer
  private let access: Access
  /// Kept alive for as long as libpq may call it.
  private let notices: PostgresNotices
  private var statements: PostgresStatements
  private var unanswered: Deque<Command> = []
  /// How long an answer may take; nil means no limit.
  var patience: Duration?
  private(set) var isUsable = true
  /// Whether the query of ``askForStop(_:)`` returned a row.
  private(set) var isStopped = false

  init(
    url: String, access: Access, _ configuration: DatabaseConfiguration, _ logger: Logger
  ) throws(EngineFailure) {
    self.access = access
    patience = configuration.answerLimit
    statements = PostgresStatements(limit: configuration.statementCacheLimit)
    notices = PostgresNotices(logger)
    connection = try PostgresOpening.open(url: url, configuration, notices)
    guard PQenterPipelineMode(connection) == 1 else {
      defer { PQfinish(connection) }
      throw EngineFailure(StorageError(.connectionLost, "no pipeline mode"))
    }
  }

  /// The process ID of the backend as reported at connection; a pooler invents it.
  var toldBackend: CInt { PQbackendPID(connection) }

  var transaction: TransactionState {
    switch PQtransactionStatus(connection) {
    case PQTRANS_IDLE, PQTRANS_UNKNOWN: .none
    case PQTRANS_INERROR: .failed
    // A BEGIN may be among the commands that were sent and not answered.
    default: .open
    }
  }

  /// Sends a command; its answer is read together with a later one.
  func queue(_ sql: SQL) throws(EngineFailure) {
    try send(sql)
  }

  /// Sends a query that returns a row if writes are stopped; its answer is read together with a later one. Nil sends nothing.
  func askForStop(_ sql: SQL?) throws(EngineFailure) {
    isStopped = false
    if let sql { try send(sql) { .stop($0) } }
  }

  /// Sends a command and everything queued, without waiting for the answers.
  func dispatch(_ sql: SQL) throws(EngineFailure) {
    try send(sql)
    try synchronize()
  }

  /// Sends a command and everything queued, and waits. Throws the first error among the answers. A connection that does not answer in time
  /// is lost.
  func answer(to sql: SQL) throws(EngineFailure) -> PostgresResult {
    try dispatch(sql)
    guard let result = try drain(within: patience).last else { throw lost() }
    return result
  }

  /// Sends several commands together and waits for their answers. PostgreSQL skips the commands after one that fails.
  func answers(to statements: [SQL]) throws(EngineFailure) -> ArraySlice<PostgresResult> {
    for (index, sql) in statements.enumerated() {
      try send(sql)
      // PostgreSQL buffers answers until a flush is requested. Without this, the time limit of the first answer would cover all statements.
      guard (index + 1) % Self.statementsPerFlush != 0 || PQsendFlushRequest(connection) == 1 else { throw lost() }
    }
    try synchronize()
    let results = try drain(within: patience).suffix(statements.count)
    guard results.count == statements.count else { throw lost() }
    return results
  }

  /// Sends COMMIT and waits. Throws `.outcomeUnknown` when the answer takes longer than the limit; it may still arrive. Throws the same if
  /// PostgreSQL answers with a warning: it does so if it stopped waiting for its replica, and a failover may then undo the commit.
  func commit(within limit: Duration) throws(EngineFailure) -> PostgresResult {
    notices.warning = nil
    try dispatch("COMMIT")
    guard let result = try drain(within: limit, isPatient: true).last else { throw lost() }
    if let warning = notices.warning {
      throw EngineFailure(StorageError(.outcomeUnknown, "PostgreSQL warned when it committed: \(warning)"))
    }
    return result
  }

  /// Continues to wait for the answer to COMMIT. True when it has arrived, or the connection has broken.
  func settles(within limit: Duration) -> Bool {
    do throws(EngineFailure) {
      _ = try drain(within: limit, isPatient: true)
      return true
    } catch {
      return error.cause.code != .outcomeUnknown
    }
  }

  /// Reads all outstanding answers. Returns the results of statements, or throws the first error.
  ///
  /// - Parameters:
  ///   - limit: Time limit for each answer; nil means no limit.
  ///   - isPatient: Whether the connection is kept after the time limit (`.outcomeUnknown`). Otherwise it is lost.
  private func drain(within limit: Duration?, isPatient: Bool = false) throws(EngineFailure) -> [PostgresResult] {
    var results: [PostgresResult] = []
    var first: EngineFailure?
    while let command = unanswered.first {
      guard PostgresAnswer.isThere(on: connection, until: limit.map { .now + $0 }) else {
        let failure = EngineFailure(
          StorageError(
            isPatient ? .outcomeUnknown : .connectionLost, "PostgreSQL has not answered for \(limit ?? .zero)",
            sql: text(of: command)))
        isUsable = isPatient
        throw failure
      }
      unanswered.removeFirst()
      guard let handle = PQgetResult(connection) else { throw lost() }
      let result = PostgresResult(handle)
      let status = PQresultStatus(handle)
      if case .sync = command {
        guard status == PGRES_PIPELINE_SYNC else { throw first ?? failure(result, nil) }
        continue
      }
      switch status {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
        if case .stop = command { isStopped = PQntuples(handle) > 0 }
        if case .statement = command { results.append(result) }
      default:
        let failure = status == PGRES_PIPELINE_ABORTED ? nil : failure(result, text(of: command))
        forget(command, after: failure)
        // A statement that could not be freed affects no write.
        if case .deallocate = command, isUsable { break }
        first = first ?? failure
      }
      // PQgetResult returns nil after the last answer to a command.
      while let extra = PQgetResult(connection) { PQclear(extra) }
      if !isUsable { break }
    }
    if let first { throw first }
    return results
  }

  /// Runs several statements at once, which the extended protocol cannot do.
  func script(_ text: String) throws(EngineFailure) {
    try synchronize()
    _ = try drain(within: patience)
    guard PQexitPipelineMode(connection) == 1 else { throw lost() }
    defer { if PQenterPipelineMode(connection) == 0 { isUsable = false } }
    guard PQsendQuery(connection, text) == 1, let result = PostgresAnswer.last(on: connection, within: patience) else {
      throw lost()
    }
    switch PQresultStatus(result.handle) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
    default: throw failure(result, text)
    }
  }

  func close() {
    isUsable = false
    PQfinish(connection)
  }

  private func send(_ sql: SQL, as command: (StatementKey) -> Command = { .statement($0) }) throws(EngineFailure) {
    guard isUsable else { throw lost() }
    let key = StatementKey(template: sql.template, types: PostgresParameters.types(sql.parameters))
    let name = if let known = statements.name(of: key) { known } else { try prepare(key) }
    let sent = PostgresParameters(sql.parameters).withPointers { values, lengths, formats in
      PQsendQueryPrepared(connection, name, CInt(values.count), values, lengths, formats, 0)
    }
    guard sent == 1 else { throw lost() }
    unanswered.append(command(key))
  }

  private func prepare(_ key: StatementKey) throws(EngineFailure) -> String {
    let name = statements.add(key)
    let text = key.template.text(for: .postgres)
    guard PQsendPrepare(connection, name, text, CInt(key.types.count), key.types) == 1 else {
      throw lost()
    }
    unanswered.append(.prepare(key))
    return name
  }

  /// Frees the statements that the cache has dropped. Call it only before a transaction: in a failed one it would fail as well, and the
  /// ROLLBACK behind it would be skipped. It synchronizes, so that the next command starts a new transaction: after DEALLOCATE, a
  /// transaction can no longer choose its isolation level.
  func dropGarbage() throws(EngineFailure) {
    let garbage = statements.takeGarbage()
    for name in garbage {
      guard PQsendQueryParams(connection, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 0) == 1 else { throw lost() }
      unanswered.append(.deallocate(name: name))
    }
    if !garbage.isEmpty { try synchronize() }
  }

  private func synchronize() throws(EngineFailure) {
    guard PQpipelineSync(connection) == 1 else { throw lost() }
    unanswered.append(.sync)
  }

  private func text(of command: Command) -> String? {
    switch command {
    case .prepare(let key), .statement(let key), .stop(let key): key.template.text(for: .postgres)
    case .deallocate, .sync: nil
    }
  }

  /// Keeps the cache in step with the server after a command failed (`failure`) or was skipped because of an earlier failure (nil).
  private func forget(_ command: Command, after failure: EngineFailure?) {
    switch command {
    case .prepare(let key): statements.forget(key)
    case .statement(let key), .stop(let key):
      // A violated constraint leaves the statement usable; a stale plan does not.
      if failure?.cause.code == .serialization { statements.drop(key) }
    case .deallocate(let name): if failure == nil { statements.keepAsGarbage(name) }
    case .sync: break
    }
  }

  private func failure(_ result: PostgresResult, _ sql: String?) -> EngineFailure {
    let failure = EngineFailure(postgres: result.handle, sql: sql)
    // The server has become a replica. A new connection finds the server that took over.
    let isDemoted = access == .write && failure.cause.code == .readOnly
    if isDemoted || failure.cause.code == .connectionLost || PQstatus(connection) == CONNECTION_BAD {
      isUsable = false
      return EngineFailure(StorageError(.connectionLost, failure.cause.message, sql: sql))
    }
    return failure
  }

  private func lost() -> EngineFailure {
    isUsable = false
    return EngineFailure(StorageError(.connectionLost, String(cString: PQerrorMessage(connection))))
  }
}
