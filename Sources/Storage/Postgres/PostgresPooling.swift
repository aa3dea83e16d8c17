import CPostgres
import Logging

/// Detects a pooler that gives a session another connection for each transaction, such as PgBouncer in transaction mode. Locks,
/// notifications and prepared statements belong to connections: with such a pooler they would be lost, or reach other clients.
enum PostgresPooling {
  /// Attempts to detect a pooler; other clients of the pooler may hide it from a single one.
  private static let attempts = 3

  /// Throws if there is such a pooler. Other errors are ignored here; the next use of the database reports them.
  static func refuseTransactions(
    url: String, _ configuration: DatabaseConfiguration, _ logger: Logger
  ) throws(EngineFailure) {
    let (notices, limit) = (PostgresNotices(logger), Duration.seconds(configuration.connectSeconds))
    guard let first = try? PostgresOpening.open(url: url, configuration, notices) else { return }
    defer { PQfinish(first) }
    // A pooler invents the process ID that it reports to clients.
    guard let backend = backend(of: first, within: limit), backend != PQbackendPID(first),
      let second = try? PostgresOpening.open(url: url, configuration, notices)
    else { return }
    defer { PQfinish(second) }
    for _ in 0..<attempts {
      // A pooler in statement mode refuses BEGIN and closes the connection.
      do { try PostgresOpening.run("BEGIN", on: second, within: limit) } catch { throw refusal }
      // While the second session holds a connection: the pooler gave it the first session's one, or switched the first session to another.
      let isShared = Self.backend(of: second, within: limit) == backend
      guard !isShared, Self.backend(of: first, within: limit) == backend else { throw refusal }
      guard (try? PostgresOpening.run("COMMIT", on: second, within: limit)) != nil else { return }
    }
  }

  private static var refusal: EngineFailure {
    EngineFailure(
      StorageError(
        .other,
        "a pooler uses another PostgreSQL connection for each transaction, like PgBouncer in transaction mode",
        cure: "name PostgreSQL itself in --database-url, or set pool_mode = session for this database in pgbouncer.ini")
    )
  }

  /// The process ID of the backend that answers; nil if there is no answer.
  private static func backend(of connection: OpaquePointer, within limit: Duration) -> CInt? {
    guard PQsendQuery(connection, "SELECT pg_backend_pid()") == 1,
      let result = PostgresAnswer.last(on: connection, within: limit), PQresultStatus(result.handle) == PGRES_TUPLES_OK,
      let text = PQgetvalue(result.handle, 0, 0)
    else { return nil }
    return CInt(String(cString: text))
  }
}
