import Crypto
import Foundation

/// A change of the schema, run once. Its text never changes after it was released.
package struct Migration: Sendable {
  package let version: Int
  package let name: String
  /// One or more statements for both engines. `{{identity}}` stands for an integer primary key that counts up by itself.
  package let sql: String

  package init(version: Int, name: String, sql: String) {
    self.version = version
    self.name = name
    self.sql = sql
  }

  fileprivate var checksum: String {
    SHA256.hash(data: Data(sql.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}

extension Database {
  /// Brings the schema up to the last of these migrations, each in a transaction of its own. Several processes may do
  /// so at once.
  ///
  /// Throws `.newerSchema` when the database knows a version that is not among them, `.changedMigration` when the text
  /// of one that ran before differs now, or the error of the migration that failed; earlier ones stay.
  package func migrate(_ migrations: [Migration]) async throws {
    let dialect = dialect
    for migration in migrations.sorted(by: { $0.version < $1.version }) {
      try await write { transaction in
        try transaction.checkSchema(against: migrations, dialect)
        try transaction.apply(migration, dialect)
      }
    }
    if migrations.isEmpty {
      try await write { try $0.checkSchema(against: [], dialect) }
    }
  }
}

extension Transaction {
  fileprivate func checkSchema(against migrations: [Migration], _ dialect: Dialect) throws {
    for statement in dialect.migrationPrologue { try execute(statement) }
    try execute(
      """
      CREATE TABLE IF NOT EXISTS schema_migrations (
        version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL
      )
      """)
    let known = Dictionary(migrations.map { ($0.version, $0) }) { first, _ in first }
    let recorded = try all("SELECT version, name, checksum FROM schema_migrations ORDER BY version") { row in
      (
        version: try row.get("version", as: Int.self), name: try row.get("name", as: String.self),
        checksum: try row.get("checksum", as: String.self)
      )
    }
    for record in recorded {
      guard let migration = known[record.version] else {
        throw StorageError(
          .newerSchema,
          "the database has migration \(record.version) (\(record.name)), which this program does not know")
      }
      guard migration.checksum == record.checksum else {
        throw StorageError(
          .changedMigration, "migration \(record.version) (\(migration.name)) is not the text that ran on this database"
        )
      }
    }
  }

  fileprivate func apply(_ migration: Migration, _ dialect: Dialect) throws {
    let isApplied = try first("SELECT 1 AS one FROM schema_migrations WHERE version = \(migration.version)") { _ in true
    }
    guard isApplied == nil else { return }
    try script(migration.sql.replacingOccurrences(of: "{{identity}}", with: dialect.identityColumn))
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    try execute(
      """
      INSERT INTO schema_migrations (version, name, checksum, applied_at)
      VALUES (\(migration.version), \(migration.name), \(migration.checksum), \(now))
      """)
  }
}
