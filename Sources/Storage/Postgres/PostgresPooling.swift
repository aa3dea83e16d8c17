import CPostgres
import Logging

/// Finds a pooler between this process and PostgreSQL that gives a session another connection for each transaction, such as PgBouncer in
/// transaction mode. Locks, notifications and prepared statements belong to connections: they would be lost, or another client's.
enum PostgresPooling {
  /// How often it is looked: other clients of the pooler may hold what would tell.
  private static let attempts = 3

  /// Throws if there is such a pooler. What fails for other reasons is left to those who use the database.
  static func refuseTransactions(
    url: String, _ configuration: DatabaseConfiguration, _ logger: Logger
  ) throws(EngineFailure) {
    let (notices, limit) = (PostgresNotices(logger), Duration.seconds(configuration.connectSeconds))
    guard let first = try? PostgresOpening.open(url: url, configuration, notices) else { return }
    defer { PQfinish(first) }
    // A pooler makes up what clients are told of their connection.
    guard let backend = backend(of: first, within: limit), backend != PQbackendPID(first),
      let second = try? PostgresOpening.open(url: url, configuration, notices)
    else { return }
    defer { PQfinish(second) }
    for _ in 0..<attempts {
      // One that pools statements refuses this, and ends the connection.
      do { try PostgresOpening.run("BEGIN", on: second, within: limit) } catch { throw refusal }
      // While the second holds its connection: the first one's was given to it, or was exchanged.
      let isShared = Self.backend(of: second, within: limit) == backend
      guard !isShared, Self.backend(of: first, within: limit) == backend else { throw refusal }
      guard (try? PostgresOpening.run("COMMIT", on: second, within: limit)) != nil else { return }
    }
  }

  private static var refusal: EngineFailure {
    EngineFailure(
      StorageError(
        .other,
        "a pooler gives each transaction another connection to PostgreSQL, as PgBouncer in transaction mode does",
        cure: "name PostgreSQL itself in --database-url, or set pool_mode = session for this database in pgbouncer.ini")
    )
  }

  /// The process of PostgreSQL that answers; nil if none does.
  private static func backend(of connection: OpaquePointer, within limit: Duration) -> CInt? {
    guard PQsendQuery(connection, "SELECT pg_backend_pid()") == 1,
      let result = PostgresAnswer.last(on: connection, within: limit), PQresultStatus(result.handle) == PGRES_TUPLES_OK,
      let text = PQgetvalue(result.handle, 0, 0)
    else { return nil }
    return CInt(String(cString: text))
  }
}
