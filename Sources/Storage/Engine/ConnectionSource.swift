import Foundation
import Logging

/// Opens connections of the configured engine.
struct ConnectionSource: Sendable {
  private let configuration: DatabaseConfiguration
  private let logger: Logger
  /// The file of a database that is to vanish on close.
  private let temporaryPath: String?
  /// Which version of the schema this process relies on.
  let claim: SchemaClaim
  /// By which values this process goes, on PostgreSQL.
  let values = ValueClaims()
  let writers = OpeningCount()
  let stop = WriteStop()
  /// Nil on PostgreSQL, and for a file that is to vanish.
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

  /// The file, on SQLite.
  var sqlitePath: String? {
    switch configuration.engine {
    case .sqlite(let path): path
    case .sqliteTemporary: temporaryPath
    case .postgres: nil
    }
  }

  /// - Parameter isFirst: whether a database may be made where there is none. Later one that is missing is missed: it
  ///   must not be replaced by an empty one.
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
      // What fails over a connection that is exchanged meanwhile names no cause.
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

  /// Lets go of what belongs to the database as a whole. Its connections have been closed.
  func end() {
    claim.release()
    guard let temporaryPath else { return }
    // SQLite has removed the companions already, unless the process was in a hurry.
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: temporaryPath + suffix) }
  }
}
