import CPostgres
import Foundation

/// How a connection to PostgreSQL is opened and set up.
enum PostgresOpening {
  static func open(
    url: String, _ configuration: DatabaseConfiguration, _ notices: PostgresNotices
  ) throws(EngineFailure) -> OpaquePointer {
    let seconds = max(2, configuration.connectTimeout.milliseconds / 1000)
    // What the URL says comes later and so overrides what stands before it.
    let settings = [
      ("application_name", "madang"), ("connect_timeout", "\(seconds)"), ("keepalives_idle", "30"),
      ("keepalives_interval", "10"), ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
      // Readers, too: what was written just now must be there.
      ("target_session_attrs", "read-write"), ("dbname", url), ("client_encoding", "UTF8"),
    ]
    guard let connection = connect(settings) else {
      throw EngineFailure(StorageError(.connectionLost, "out of memory"))
    }
    notices.listen(to: connection)
    do throws(EngineFailure) {
      guard PQstatus(connection) == CONNECTION_OK else { throw failure(of: connection) }
      try setUp(connection, configuration)
    } catch {
      PQfinish(connection)
      throw error
    }
    return connection
  }

  private static func setUp(_ connection: OpaquePointer, _ configuration: DatabaseConfiguration) throws(EngineFailure) {
    let result = PQexec(
      connection,
      """
      SET timezone = 'UTC';
      SET statement_timeout = \(configuration.statementTimeout.milliseconds);
      SET lock_timeout = \(configuration.lockTimeout.milliseconds);
      SET idle_in_transaction_session_timeout = \(configuration.idleTransactionTimeout.milliseconds);
      SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3
      """)
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure(of: connection) }
  }

  private static func failure(of connection: OpaquePointer) -> EngineFailure {
    EngineFailure(StorageError(.connectionLost, String(cString: PQerrorMessage(connection))))
  }

  private static func connect(_ settings: [(String, String)]) -> OpaquePointer? {
    let keys = settings.map { strdup($0.0) }
    let values = settings.map { strdup($0.1) }
    defer { for pointer in keys + values { free(pointer) } }
    return PQconnectdbParams(keys.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
  }
}
