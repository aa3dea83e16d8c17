import Storage

/// Rows of a database that are newer than a backup of it.
package struct NewerRows: Sendable {
  package let table: String
  package let count: Int64
}

extension Madang {
  /// Numbered tables that grow when people use the server.
  private static let tablesOfPeople = [
    "chats", "users", "workspaces", "rooms", "files", "payments", "coin_entries", "invitations",
  ]

  /// The rows that this database has and an earlier backup or export lacks. Empty if the backup belongs to another installation.
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
