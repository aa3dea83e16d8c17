import Foundation
import Logging
import MadangCore
import MadangProviders
import NIOCore
import NIOPosix
import Storage

/// Opens the database of these settings and creates the domain on it.
///
/// - Parameter prepare: Migrates the schema, or checks its version.
package func openMadang(
  _ settings: ServerSettings, clock: Clock, ids: IDSource, pools: WorkerPools, logger: Logger,
  announce: @escaping @Sendable (MadangCore.Event) -> Void, prepare: (Madang) async throws -> Void
) async throws -> Madang {
  var configuration = DatabaseConfiguration(
    settings.database.url.map { .postgres(url: $0) }
      ?? .sqlite(path: settings.databaseFile.path))
  configuration.readers = settings.databaseReaderCount
  configuration.writers = settings.database.writers
  configuration.walLimit = settings.database.logLimit
  configuration.waitLimit = settings.database.waitLimit
  configuration.connectTimeout = settings.database.connectTimeout ?? configuration.connectTimeout
  configuration.statementTimeout = settings.database.statementTimeout ?? configuration.statementTimeout
  configuration.gatherWakeUps = { wake in
    // After the other requests that have just arrived there.
    if let loop = MultiThreadedEventLoopGroup.currentEventLoop { loop.execute(wake) } else { wake() }
  }
  if !settings.isDevelopment, case .sqlite(let path) = configuration.engine {
    try await refuseDamage(at: path, readingUpTo: settings.database.checkLimit)
  }
  let database: Database
  do { database = try await Database(configuration, logger: logger) } catch let error as StorageError {
    throw SetupError(
      "the database cannot be opened: \(error.message)\n\(error.cure ?? databaseCure(configuration.engine))")
  }

  var domain = settings.domain
  (domain.node, domain.face) = (settings.node, settings.face)
  let home = BucketName(settings.filesHome).map { name in
    BucketHome(S3Client(bucket: name.bucket, settings.s3), prefix: name.prefix, workers: pools.files, logger: logger)
  }
  let madang = Madang(
    database: database, clock: clock, ids: ids,
    files: FileStore(
      root: settings.dataDirectory.appending(path: "files"), home: home, workers: pools.files, ids: ids, clock: clock),
    settings: domain,
    hashing: pools.hashing,
    logger: logger,
    announce: announce)
  do {
    try await prepare(madang)
  } catch {
    let answered = [.other, .syntax].contains((error as? StorageError)?.code)
    let isWithoutTables = answered ? (try? await madang.pendingMigrations().version) == 0 : false
    await database.close()
    throw (error as? StorageError).flatMap { setupError($0, configuration.engine, isWithoutTables: isWithoutTables) }
      ?? error
  }
  return madang
}

/// Throws ``SetupError`` if the file is damaged, or if its write-ahead log belongs to another file. Changes nothing.
private func refuseDamage(at path: String, readingUpTo limit: Int) async throws {
  do { try await Database.checkFile(at: path, readingUpTo: limit) } catch let error as StorageError
    where error.code == .damaged
  {
    let hasLog = (FileMode(URL(filePath: path + "-wal"))?.size ?? 0) > 0
    let log =
      hasLog
      ? "If \(path) was replaced or copied by hand, \(path)-wal may be the log of the former file: keep both, move "
        + "\(path)-wal and \(path)-shm away, and start again; data that is only in that log is then missing. Otherwise keep copies"
      : "Keep a copy"
    throw SetupError(
      "the database \(path) is damaged, and nothing was changed: \(error.message)\n\(log), and restore the newest backup: "
        + "'madang admin restore' (docs/operate.md)")
  }
}

/// Words for a database that this program cannot use; nil for other failures.
private func setupError(
  _ error: StorageError, _ engine: DatabaseConfiguration.Engine, isWithoutTables: Bool
) -> SetupError? {
  if let cure = error.cure { return SetupError("the database cannot be used: \(error.message)\n\(cure)") }
  let problem = "the database does not fit this program: \(error.message)"
  switch error.code {
  case .newerSchema: return SetupError("\(problem); start the newer madang, or restore a backup made before the update")
  case .changedMigration, .olderProgram: return SetupError(problem)
  case .diskFull: return SetupError("the database cannot be used: \(error.words)")
  case .other where isWithoutTables, .syntax where isWithoutTables:
    return SetupError(
      "the tables cannot be created: \(error.message)\nIf the database has tables of another program, name an empty one with "
        + "--database-url")
  case .other, .damaged: return SetupError("the database cannot be used: \(error.message)\n\(databaseCure(engine))")
  default: return nil
  }
}

/// What an operator can check if a database does not open.
private func databaseCure(_ engine: DatabaseConfiguration.Engine) -> String {
  switch engine {
  case .postgres: "check that PostgreSQL runs and that --database-url names its host, user, password and database"
  case .sqlite(let path):
    """
    check that \(path) is a database of madang, that its directory is writable and that its disk has room. If it is \
    damaged, move it away with its -wal and -shm, and load the newest backup: 'madang admin import BACKUP'
    """
  case .sqliteTemporary: "check that the temporary directory can be written"
  }
}
