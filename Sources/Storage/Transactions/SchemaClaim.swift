import Synchronization

/// Shows other programs which version of the schema this one knows, as long as it has the database open. Finds out whether an older
/// program, which does not know a migration, still has the database open.
///
/// PostgreSQL: each writer's session holds a shared advisory lock, whose second number is the version; no connection can write without it.
/// SQLite: each process holds a shared lock on a file beside the database.
final class SchemaClaim: Sendable {
  private let file: FileLock?
  private let version = Mutex<Int?>(nil)

  /// - Parameter file: The lock file on SQLite; nil for a database that no other process can open.
  init(file: FileLock?) {
    self.file = file
  }

  private static let scope: SQL = "hashtext('madang schema of ' || COALESCE(current_schema(), ''))"

  /// Takes the claim, in a transaction that blocks migrations by other programs.
  func take(_ version: Int, in transaction: Transaction, _ dialect: Dialect) throws {
    switch dialect {
    case .sqlite: try file?.share()
    case .postgres:
      // Releases the claim for an earlier version; a writer's session has no other locks.
      try transaction.execute("SELECT pg_advisory_unlock_all()")
      try share(version, in: transaction)
    }
    self.version.withLock { $0 = version }
  }

  private func share(_ version: Int, in transaction: Transaction) throws {
    try transaction.execute("SELECT pg_advisory_lock_shared(\(sql: Self.scope), CAST(\(version) AS INTEGER))")
  }

  /// Takes the claim, and the claims of `values`, for a new session of PostgreSQL. Throws if the schema now has a migration with which this
  /// program cannot work. That is possible because this program's claim had no effect while its connection was lost.
  func renew(on connection: any Connection, with values: ValueClaims) throws(EngineFailure) {
    guard let version = version.withLock(\.self) else { return }
    let transaction = Transaction(connection)
    do {
      try connection.begin(.write)
      defer { connection.discard() }
      // Waits for a program that is migrating.
      try transaction.execute("SELECT pg_advisory_xact_lock_shared(hashtext('schema_migrations'))")
      try share(version, in: transaction)
      try values.renew(in: transaction)
      for record in try transaction.appliedMigrations(.postgres) where record.version > version {
        try record.refuseUnknown()
      }
    } catch let error as StorageError {
      throw EngineFailure(error)
    } catch let error as EngineFailure {
      throw error
    } catch {
      throw EngineFailure(StorageError(.other, "\(error)"))
    }
  }

  /// Runs a migration's body. Throws if the database is open in an older program that could not work after the migration.
  func whileAlone(
    for migration: Migration, in transaction: Transaction, _ dialect: Dialect, _ body: () throws -> Void
  ) throws {
    guard !migration.isAdditive else { return try body() }
    switch dialect {
    case .sqlite:
      guard let file else { return try body() }
      let isAlone = try file.takeAlone()
      defer { if version.withLock(\.self) == nil { file.release() } else { try? file.share() } }
      guard isAlone else { throw Self.refusal(of: migration) }
      try body()
    case .postgres:
      let older = try transaction.first(
        """
        SELECT 1 AS one FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 2 AND pid <> pg_backend_pid()
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND classid = CAST(\(sql: Self.scope) AS oid) AND CAST(CAST(objid AS TEXT) AS BIGINT) < \(migration.version)
        LIMIT 1
        """
      ) { _ in true }
      guard older == nil else { throw Self.refusal(of: migration) }
      try body()
    }
  }

  func release() {
    file?.release()
  }

  private static func refusal(of migration: Migration) -> StorageError {
    StorageError(
      .olderProgram,
      "migration \(migration.version) (\(migration.name)) changes tables that a running older program needs on the same "
        + "database; stop all other servers of this database first, then start this one again")
  }
}
