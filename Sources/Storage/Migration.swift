import Crypto
import Foundation

/// A change of the schema, run once. Its text never changes after it was released.
package struct Migration: Sendable {
  package let version: Int
  package let name: String
  /// One or more statements for both engines. `{{identity}}` stands for an integer primary key that counts up by itself.
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

  /// Whether programs that do not know it may go on, and start, with the schema that it leaves. Its first line says so:
  /// `-- additive`.
  package var isAdditive: Bool {
    sql.prefix { !$0.isNewline }.trimmingCharacters(in: .whitespaces) == "-- additive"
  }
}

extension Database {
  /// Brings the schema up to the last of these migrations, each in a transaction of its own, and from then on keeps
  /// programs that know more from making changes under this one that are not additive. Several processes may do so at
  /// once.
  ///
  /// Throws `.newerSchema` when the database has a version that is not among them and not additive, `.changedMigration`
  /// when the text of one that ran before differs now, `.olderProgram` when one that is not additive has to run while a
  /// process uses the database that does not know it, or the error of the migration that failed; earlier ones stay.
  package func migrate(_ migrations: [Migration]) async throws {
    let (dialect, claim) = (dialect, source.claim)
    let sorted = migrations.sorted { $0.version < $1.version }
    // Mostly none is: a start then costs two transactions, not one for each migration.
    for migration in try await pendingMigrations(sorted).pending {
      try await write(heedsStop: false) { transaction in
        try transaction.beginMigration(dialect)
        let applied = try transaction.checkedMigrations(against: sorted, dialect)
        guard !applied.contains(where: { $0.version == migration.version }) else { return }
        try claim.whileAlone(for: migration, in: transaction, dialect) {
          try transaction.apply(migration, dialect)
        }
      }
    }
    try await write(heedsStop: false) { transaction in
      try transaction.beginMigration(dialect)
      _ = try transaction.checkedMigrations(against: sorted, dialect)
      try claim.take(sorted.last?.version ?? 0, in: transaction, dialect)
    }
  }

  /// The version of the schema, zero when it is empty, and which of these migrations are still to be run. Changes
  /// nothing. Throws `.newerSchema` and `.changedMigration` as `migrate` does, and what would keep it from making tables.
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
  /// However long it takes until others have migrated, and then itself.
  fileprivate func beginMigration(_ dialect: Dialect) throws {
    try liftTimeouts()
    if let lock = dialect.migrationLock { try execute(lock) }
  }
}
