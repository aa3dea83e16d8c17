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
      ("keepalives_interval", "10"), ("keepalives_count", "3"), ("tcp_user_timeout", "30000"), ("dbname", url),
      ("client_encoding", "UTF8"),
    ]
    guard let connection = connect(settings) else {
      throw EngineFailure(StorageError(.connectionLost, "out of memory"))
    }
    notices.listen(to: connection)
    let limit = configuration.statementTimeout.milliseconds
    let result = PQexec(connection, "SET timezone = 'UTC'; SET statement_timeout = \(limit)")
    defer { PQclear(result) }
    guard PQstatus(connection) == CONNECTION_OK, PQresultStatus(result) == PGRES_COMMAND_OK else {
      defer { PQfinish(connection) }
      throw EngineFailure(StorageError(.connectionLost, String(cString: PQerrorMessage(connection))))
    }
    return connection
  }

  private static func connect(_ settings: [(String, String)]) -> OpaquePointer? {
    let keys = settings.map { strdup($0.0) }
    let values = settings.map { strdup($0.1) }
    defer { for pointer in keys + values { free(pointer) } }
    return PQconnectdbParams(keys.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
  }
}
