import Foundation
import Logging

/// Opens connections of the configured engine.
struct ConnectionSource: Sendable {
  private let configuration: DatabaseConfiguration
  private let logger: Logger
  /// The file of a temporary database.
  private let temporaryPath: String?
  /// The version of the schema that this process relies on.
  let claim: SchemaClaim
  /// The values that this process uses where all processes must use the same one; PostgreSQL only.
  let values = ValueClaims()
  let writers = OpeningCount()
  let stop = WriteStop()
  /// Nil on PostgreSQL and for a temporary file.
  let fileWatch: SQLiteFileWatch?

  init(_ configuration: DatabaseConfiguration, _ logger: Logger) {
    self.configuration = configuration
    self.logger = logger
    temporaryPath =
      configuration.engine == .sqliteTemporary
      ? FileManager.default.temporaryDirectory.appendingPathComponent("madang-\(UUID().uuidString).sqlite").path : nil
    if case .sqlite(let path) = configuration.engine {
      claim = SchemaClaim(file: FileLock(path: path + "-lock"))
      fileWatch = SQLiteFileWatch(path: path)
    } else {
      claim = SchemaClaim(file: nil)
      fileWatch = nil
    }
  }

  var dialect: Dialect {
    switch configuration.engine {
    case .sqlite, .sqliteTemporary: .sqlite
    case .postgres: .postgres
    }
  }

  var busyTimeout: Duration { configuration.busyTimeout }

  /// The path of the file; nil on PostgreSQL.
  var sqlitePath: String? {
    switch configuration.engine {
    case .sqlite(let path): path
    case .sqliteTemporary: temporaryPath
    case .postgres: nil
    }
  }

  /// - Parameter isFirst: Whether a missing database file may be created. Later openings must not replace a missing file by an empty one.
  func open(_ access: Access, isFirst: Bool = false) throws(EngineFailure) -> any Connection {
    switch configuration.engine {
    case .sqlite(let path):
      return try SQLiteConnection(
        path: path, durable: true, access: access, makes: isFirst, watch: fileWatch, configuration, logger)
    case .sqliteTemporary:
      return try SQLiteConnection(
        path: temporaryPath ?? "", durable: false, access: access, makes: isFirst, watch: nil, configuration, logger)
    case .postgres(let url):
      let connection = try openPostgres(url, access, looksForPooler: isFirst && access == .write)
      guard access == .write else { return connection }
      do throws(EngineFailure) { try claim.renew(on: connection, with: values) } catch {
        connection.close()
        throw error
      }
      writers.add()
      return connection
    }
  }

  private func openPostgres(_ url: String, _ access: Access, looksForPooler: Bool) throws(EngineFailure)
    -> PostgresConnection
  {
    let connection: PostgresConnection
    do throws(EngineFailure) {
      connection = try PostgresConnection(url: url, access: access, configuration, logger)
    } catch {
      // If a pooler switches connections in between, the error does not show the cause; so look for a pooler first.
      if looksForPooler { try PostgresPooling.refuseTransactions(url: url, configuration, logger) }
      throw error
    }
    guard looksForPooler, connection.isPooled else { return connection }
    do throws(EngineFailure) { try PostgresPooling.refuseTransactions(url: url, configuration, logger) } catch {
      connection.close()
      throw error
    }
    return connection
  }

  func makeNotificationChannel(_ name: String) throws(StorageError) -> NotificationChannel? {
    guard case .postgres(let url) = configuration.engine else { return nil }
    return try NotificationChannel(name, url: url, configuration, logger)
  }

  /// Releases resources of the database as a whole. Its connections must be closed.
  func end() {
    claim.release()
    guard let temporaryPath else { return }
    // SQLite removes the companion files itself, except when the process ended early.
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: temporaryPath + suffix) }
  }
}
