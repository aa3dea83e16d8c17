import Storage

/// Rows that a database has and a backup of it lacks, because they came later.
package struct NewerRows: Sendable {
  package let table: String
  package let count: Int64
}

extension Madang {
  /// Tables that people fill, and whose rows are numbered.
  private static let tablesOfPeople = [
    "chats", "users", "workspaces", "rooms", "files", "payments", "coin_entries", "invitations",
  ]

  /// What this database has that a backup or an export of it lacks; nothing if the backup is of another installation.
  package func newerRows(than backup: Backup) async throws -> [NewerRows] {
    let dialect = database.dialect
    let numbers = backup.manifest.tables.filter { Self.tablesOfPeople.contains($0.name) }.map {
      (table: $0.name, last: $0.lastNumber ?? 0)
    }
    let installation = backup.manifest.installation
    return try await database.read { transaction in
      guard try transaction.installationID() == installation else { return [] }
      return try numbers.compactMap { table, last in
        let count = (try transaction.lastNumber(of: table, dialect) ?? 0) - last
        return count > 0 ? NewerRows(table: table, count: count) : nil
      }
    }
  }
}
