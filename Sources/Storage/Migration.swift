import Crypto
import Foundation

/// A change of the schema that runs once. Its text never changes after release.
package struct Migration: Sendable {
  package let version: Int
  package let name: String
  /// One or more statements for both engines. `{{identity}}` is an integer primary key that the engine numbers.
  package let sql: String
  /// The hexadecimal SHA-256 of the text.
  package let checksum: String

  package init(version: Int, name: String, sql: String) {
    self.version = version
    self.name = name
    self.sql = sql
    checksum = SHA256.hash(data: Data(sql.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  /// Whether older programs can keep using the database after this migration. The first line of the text says so: `-- additive`.
  package var isAdditive: Bool {
    sql.prefix { !$0.isNewline }.trimmingCharacters(in: .whitespaces) == "-- additive"
  }
}

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
