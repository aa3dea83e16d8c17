import CPostgres
import Logging

/// libpq in pipeline mode: commands are sent without waiting, and their answers are read in order at the next
/// synchronisation point (PostgreSQL documentation, 34.5).
final class PostgresPipeline {
  private enum Command {
    case prepare(key: String)
    case statement(key: String)
    case deallocate(name: String)
    case sync
  }

  private let connection: OpaquePointer
  private let access: Access
  /// Kept alive for as long as libpq may call it.
  private let notices: PostgresNotices
  private var statements: StatementCache<String>
  private var unanswered: [Command] = []
  private var prepared = 0
  /// Statements of the server that the cache has dropped.
  private var garbage: [String] = []
  private(set) var isUsable = true

  init(
    url: String, access: Access, _ configuration: DatabaseConfiguration, _ logger: Logger
  ) throws(EngineFailure) {
    self.access = access
    statements = StatementCache(limit: configuration.statementCacheLimit)
    notices = PostgresNotices(logger)
    connection = try PostgresOpening.open(url: url, configuration, notices)
    guard PQenterPipelineMode(connection) == 1 else {
      defer { PQfinish(connection) }
      throw EngineFailure(StorageError(.connectionLost, "no pipeline mode"))
    }
  }

  var transaction: TransactionState {
    switch PQtransactionStatus(connection) {
    case PQTRANS_IDLE, PQTRANS_UNKNOWN: .none
    case PQTRANS_INERROR: .failed
    // A BEGIN may be among the commands that are under way.
    default: .open
    }
  }

  /// Sends a command whose answer is read with a later one's.
  func queue(_ sql: SQL) throws(EngineFailure) {
    try send(sql)
  }

  /// Sends a command, and all that is queued, without waiting for the answers.
  func dispatch(_ sql: SQL) throws(EngineFailure) {
    try send(sql)
    try synchronize()
  }

  /// Sends a command, and all that is queued, and waits. Throws the first error among them.
  func answer(to sql: SQL) throws(EngineFailure) -> PostgresResult {
    try dispatch(sql)
    guard let result = try drain() else { throw lost() }
    return result
  }

  /// Several statements at once, which the extended protocol cannot do.
  func script(_ text: String) throws(EngineFailure) {
    try synchronize()
    _ = try drain()
    guard PQexitPipelineMode(connection) == 1 else { throw lost() }
    defer { if PQenterPipelineMode(connection) == 0 { isUsable = false } }
    guard let handle = PQexec(connection, text) else { throw lost() }
    let result = PostgresResult(handle)
    switch PQresultStatus(handle) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
    default: throw failure(result, text)
    }
  }

  func close() {
    isUsable = false
    PQfinish(connection)
  }

  private func send(_ sql: SQL) throws(EngineFailure) {
    guard isUsable else { throw lost() }
    let text = sql.text
    let types = PostgresParameters.types(sql.parameters)
    // The types belong to the prepared statement: a null may be declared otherwise than a value.
    let key = types.isEmpty ? text : text + " --" + types.map(Self.letter).joined()
    let name: String
    if let known = statements.use(key) { name = known } else { name = try prepare(text, types, key) }
    let sent = PostgresParameters(sql.parameters).withPointers { values, lengths, formats in
      PQsendQueryPrepared(connection, name, CInt(values.count), values, lengths, formats, 0)
    }
    guard sent == 1 else { throw lost() }
    unanswered.append(.statement(key: key))
  }

  private func prepare(_ text: String, _ types: [Oid], _ key: String) throws(EngineFailure) -> String {
    prepared += 1
    let name = "s\(prepared)"
    guard PQsendPrepare(connection, name, text, CInt(types.count), types) == 1 else { throw lost() }
    unanswered.append(.prepare(key: key))
    if let evicted = statements.keep(name, for: key) { garbage.append(evicted) }
    return name
  }

  private static func letter(_ type: Oid) -> String {
    switch type {
    case 20: "i"
    case 701: "r"
    case 25: "t"
    default: "?"
    }
  }

  /// Frees what the cache has dropped. Only before a transaction: in one that has failed it would fail as well, and take
  /// the ROLLBACK behind it along.
  func dropGarbage() throws(EngineFailure) {
    for name in garbage {
      guard PQsendQueryParams(connection, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 0) == 1 else { throw lost() }
      unanswered.append(.deallocate(name: name))
    }
    garbage.removeAll()
  }

  private func synchronize() throws(EngineFailure) {
    guard PQpipelineSync(connection) == 1 else { throw lost() }
    unanswered.append(.sync)
  }

  /// Reads every answer that is due. The last one, or the first error.
  private func drain() throws(EngineFailure) -> PostgresResult? {
    var last: PostgresResult?
    var first: EngineFailure?
    let due = unanswered
    unanswered.removeAll(keepingCapacity: true)
    for command in due {
      guard let handle = PQgetResult(connection) else { throw lost() }
      let result = PostgresResult(handle)
      let status = PQresultStatus(handle)
      if case .sync = command {
        guard status == PGRES_PIPELINE_SYNC else { throw first ?? failure(result, nil) }
        continue
      }
      switch status {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: last = result
      default:
        let failure = status == PGRES_PIPELINE_ABORTED ? nil : failure(result, key(of: command))
        forget(command, after: failure)
        first = first ?? failure
      }
      // Nil ends the answers to one command.
      while let extra = PQgetResult(connection) { PQclear(extra) }
      if !isUsable { break }
    }
    if let first { throw first }
    return last
  }

  private func key(of command: Command) -> String? {
    switch command {
    case .prepare(let key), .statement(let key): key
    case .deallocate, .sync: nil
    }
  }

  /// Keeps the cache true to what the server has after a command failed (nil: was skipped because of an earlier failure).
  private func forget(_ command: Command, after failure: EngineFailure?) {
    switch command {
    case .prepare(let key): _ = statements.take(key)
    case .statement(let key):
      // A violated constraint says nothing against the statement; a stale plan does.
      guard failure?.cause.code == .serialization, let name = statements.take(key) else { return }
      garbage.append(name)
    case .deallocate(let name): if failure == nil { garbage.append(name) }
    case .sync: break
    }
  }

  private func failure(_ result: PostgresResult, _ sql: String?) -> EngineFailure {
    let failure = EngineFailure(postgres: result.handle, sql: sql)
    // The server has become a replica; a new connection finds the one that took over.
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
