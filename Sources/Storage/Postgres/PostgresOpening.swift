import CPostgres
import Foundation

/// Opens and sets up a connection to PostgreSQL: nonblocking, as `PostgresAnswer` requires.
enum PostgresOpening {
  static func open(
    url: String, _ configuration: DatabaseConfiguration, _ notices: PostgresNotices
  ) throws(EngineFailure) -> OpaquePointer {
    do { try PostgresURL.check(url) } catch { throw EngineFailure(error) }
    let seconds = configuration.connectSeconds
    // The URL comes after these defaults, so it overrides them.
    let settings = [
      ("application_name", "madang"), ("connect_timeout", "\(seconds)"), ("keepalives_idle", "30"),
      ("keepalives_interval", "10"), ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
      // Readers too: a replica may lack a row that was just written.
      ("target_session_attrs", "read-write"), ("dbname", url), ("client_encoding", "UTF8"),
    ]
    guard let connection = connect(settings) else {
      throw EngineFailure(StorageError(.connectionLost, "out of memory"))
    }
    notices.listen(to: connection)
    do throws(EngineFailure) {
      guard PQstatus(connection) == CONNECTION_OK else { throw failure(of: connection) }
      try checkEncoding(connection)
      guard PQsetnonblocking(connection, 1) == 0 else { throw failure(of: connection) }
      try setUp(connection, configuration, within: .seconds(seconds))
    } catch {
      PQfinish(connection)
      throw error
    }
    return connection
  }

  /// Throws unless the database's encoding is UTF8. PostgreSQL reports it for each connection. Other encodings cannot store most names and
  /// chats, or return them changed.
  private static func checkEncoding(_ connection: OpaquePointer) throws(EngineFailure) {
    guard let encoding = PQparameterStatus(connection, "server_encoding").map({ String(cString: $0) }),
      encoding != "UTF8"
    else { return }
    throw EngineFailure(
      StorageError(
        .other, "the database has the encoding \(encoding), which cannot hold all text",
        cure:
          "create a database with 'createdb --encoding UTF8 --template template0 NAME', and name it with --database-url"
      ))
  }

  private static func setUp(
    _ connection: OpaquePointer, _ configuration: DatabaseConfiguration, within limit: Duration
  ) throws(EngineFailure) {
    try run(
      """
      SET timezone = 'UTC';
      SET statement_timeout = \(configuration.statementTimeout.milliseconds);
      SET lock_timeout = \(configuration.lockTimeout.milliseconds);
      SET idle_in_transaction_session_timeout = \(configuration.idleTransactionTimeout.milliseconds);
      SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3
      """, on: connection, within: limit)
  }

  /// Runs statements outside of pipeline mode.
  static func run(_ text: String, on connection: OpaquePointer, within limit: Duration) throws(EngineFailure) {
    guard PQsendQuery(connection, text) == 1 else { throw failure(of: connection) }
    try check(connection, within: limit)
  }

  /// Waits for the answer to a command that was sent outside of pipeline mode. Throws `.connectionLost` unless it arrives in time and
  /// reports success.
  static func check(_ connection: OpaquePointer, within limit: Duration) throws(EngineFailure) {
    guard let result = PostgresAnswer.last(on: connection, within: limit) else {
      throw EngineFailure(StorageError(.connectionLost, "PostgreSQL has not answered for \(limit)"))
    }
    switch PQresultStatus(result.handle) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return
    default: throw failure(of: connection)
    }
  }

  static func failure(of connection: OpaquePointer) -> EngineFailure {
    EngineFailure(StorageError(.connectionLost, String(cString: PQerrorMessage(connection))))
  }

  private static func connect(_ settings: [(String, String)]) -> OpaquePointer? {
    let keys = settings.map { strdup($0.0) }
    let values = settings.map { strdup($0.1) }
    defer { for pointer in keys + values { free(pointer) } }
    return PQconnectdbParams(keys.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
  }
}
