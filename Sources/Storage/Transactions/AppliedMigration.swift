import Foundation

/// The database's record of a migration that ran on it.
struct AppliedMigration: Sendable {
  let version: Int
  let name: String
  let checksum: String
  let isAdditive: Bool

  /// Throws unless programs that do not know this migration can still use the database.
  func refuseUnknown() throws(StorageError) {
    guard !isAdditive else { return }
    throw StorageError(
      .newerSchema, "the database has migration \(version) (\(name)), which this program does not know")
  }
}

extension Transaction {
  /// Every migration that ran, oldest first.
  func appliedMigrations(_ dialect: Dialect) throws -> [AppliedMigration] {
    guard try hasColumn("version", dialect) else { return [] }
    // Programs before the first additive migration did not write the column.
    let additive: SQL = try hasColumn("additive", dialect) ? "additive" : "0 AS additive"
    return try all(
      "SELECT version, name, checksum, \(sql: additive) FROM schema_migrations ORDER BY version"
    ) { row in
      AppliedMigration(
        version: try row.get("version"), name: try row.get("name"), checksum: try row.get("checksum"),
        isAdditive: try row.get("additive"))
    }
  }

  /// All migrations that ran, oldest first. Throws if a program with these migrations cannot work with the database.
  func checkedMigrations(against migrations: [Migration], _ dialect: Dialect) throws -> [AppliedMigration] {
    let known = Dictionary(migrations.map { ($0.version, $0) }) { first, _ in first }
    let applied = try appliedMigrations(dialect)
    for record in applied {
      guard let migration = known[record.version] else {
        try record.refuseUnknown()
        continue
      }
      guard migration.checksum == record.checksum else {
        throw StorageError(
          .changedMigration,
          "migration \(record.version) (\(migration.name)) differs from the text that ran on this database"
        )
      }
    }
    return applied
  }

  func apply(_ migration: Migration, _ dialect: Dialect) throws {
    try execute(
      """
      CREATE TABLE IF NOT EXISTS schema_migrations (
        version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL,
        additive BIGINT NOT NULL DEFAULT 0
      )
      """)
    if try !hasColumn("additive", dialect) {
      try execute("ALTER TABLE schema_migrations ADD COLUMN additive BIGINT NOT NULL DEFAULT 0")
    }
    try script(migration.sql.replacingOccurrences(of: "{{identity}}", with: dialect.identityColumn))
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    try execute(
      """
      INSERT INTO schema_migrations (version, name, checksum, applied_at, additive)
      VALUES (\(migration.version), \(migration.name), \(migration.checksum), \(now), \(migration.isAdditive))
      """)
  }

  private func hasColumn(_ column: String, _ dialect: Dialect) throws -> Bool {
    try first(dialect.columnProbe(table: "schema_migrations", column: column)) { _ in true } ?? false
  }
}
