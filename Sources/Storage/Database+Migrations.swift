extension Database {
  /// Migrates the schema up to the last of these migrations, each in its own transaction. From then on, newer programs cannot run
  /// non-additive migrations while this one has the database open. Several processes may call this at once.
  ///
  /// Throws `.newerSchema` if the database has a non-additive migration that is not in the list. Throws `.changedMigration` if the text of
  /// a migration that ran before differs. Throws `.olderProgram` if a non-additive migration must run while a process uses the database
  /// that does not know it. Otherwise throws the error of the migration that failed; earlier migrations stay.
  package func migrate(_ migrations: [Migration]) async throws {
    let (dialect, claim) = (dialect, source.claim)
    let sorted = migrations.sorted { $0.version < $1.version }
    // Usually none is pending: a start then costs two transactions instead of one for each migration.
    for migration in try await pendingMigrations(sorted).pending {
      try await write(ignoresStop: true) { transaction in
        try transaction.beginMigration(dialect)
        let applied = try transaction.checkedMigrations(against: sorted, dialect)
        guard !applied.contains(where: { $0.version == migration.version }) else { return }
        try claim.whileAlone(for: migration, in: transaction, dialect) {
          try transaction.apply(migration, dialect)
        }
      }
    }
    try await write(ignoresStop: true) { transaction in
      try transaction.beginMigration(dialect)
      _ = try transaction.checkedMigrations(against: sorted, dialect)
      try claim.take(sorted.last?.version ?? 0, in: transaction, dialect)
    }
  }

  /// The version of the schema (zero if it is empty), and which of these migrations are still to run. Changes nothing. Throws
  /// `.newerSchema` and `.changedMigration` as `migrate` does, and also if this role cannot create tables.
  package func pendingMigrations(_ migrations: [Migration]) async throws -> (version: Int, pending: [Migration]) {
    let dialect = dialect
    return try await read { transaction in
      let applied = try transaction.checkedMigrations(against: migrations, dialect).map(\.version)
      if applied.isEmpty, dialect == .postgres { try transaction.requireRoomForTables() }
      return (applied.max() ?? 0, migrations.filter { !applied.contains($0.version) })
    }
  }
}

extension Transaction {
  /// Removes the time limits, and waits until other processes have migrated.
  fileprivate func beginMigration(_ dialect: Dialect) throws {
    try liftTimeouts()
    if let lock = dialect.migrationLock { try execute(lock) }
  }
}

extension Transaction {
  /// Throws if this role of PostgreSQL cannot create tables, or if the tables exist but belong to another role.
  func requireRoomForTables() throws {
    let found = try first(
      """
      SELECT CAST(current_schema() AS TEXT) AS schema,
        CASE WHEN has_schema_privilege(current_schema(), 'CREATE') THEN 1 ELSE 0 END AS may_create,
        (SELECT CAST(tableowner AS TEXT) FROM pg_tables
          WHERE schemaname = current_schema() AND tablename = 'schema_migrations') AS owner
      """
    ) { row in
      (
        schema: try row.get("schema", as: String?.self), mayCreate: try row.get("may_create", as: Int.self) == 1,
        owner: try row.get("owner", as: String?.self)
      )
    }
    guard let found else { return }
    guard let schema = found.schema else {
      throw StorageError(.other, "no schema has been selected to create tables in", cure: PostgresRights.searchPathCure)
    }
    if let owner = found.owner {
      throw StorageError(.other, "the tables belong to the role \(owner)", cure: PostgresRights.ownerCure)
    }
    if !found.mayCreate {
      throw StorageError(.other, "permission denied for schema \(schema)", cure: PostgresRights.schemaCure)
    }
  }
}
