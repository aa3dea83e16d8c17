import Logging

/// The tables that migrations create.
package struct Schema: Sendable {
  package struct Column: Sendable, Hashable {
    package let name: String
    package let type: SQLType

    package init(name: String, type: SQLType) {
      self.name = name
      self.type = type
    }
  }

  /// A foreign key: a row with all of these columns set requires a row in the other table with the same values.
  package struct Reference: Sendable {
    package let table: String
    package let columns: [(column: String, target: String)]
  }

  package struct Table: Sendable {
    package let name: String
    package let columns: [Column]
    /// The columns of the primary key, in its order.
    package let key: [String]
    package let references: [Reference]
    /// Whether the engine numbers its key and never reuses a number.
    package let isNumbered: Bool
  }

  /// The tables; each comes after the tables that it refers to.
  package let tables: [Table]

  /// Runs the migrations on an empty SQLite database and reads its tables. The text of migrations creates the same tables on both engines.
  package init(_ migrations: [Migration], logger: Logger) async throws {
    var configuration = DatabaseConfiguration(.sqliteTemporary)
    configuration.readers = 1
    let database = try await Database(configuration, logger: logger)
    do {
      try await database.migrate(migrations)
      tables = try Self.inOrder(try await database.read { try $0.tables() })
    } catch {
      await database.close()
      throw error
    }
    await database.close()
  }

  private static func inOrder(_ tables: [Table]) throws -> [Table] {
    var (waiting, ordered, names) = (tables, [Table](), Set<String>())
    while !waiting.isEmpty {
      guard let next = waiting.firstIndex(where: { $0.references.allSatisfy { names.contains($0.table) } }) else {
        throw StorageError(.other, "tables refer to each other in a circle: \(waiting.map(\.name))")
      }
      names.insert(waiting[next].name)
      ordered.append(waiting.remove(at: next))
    }
    return ordered
  }
}

extension Transaction {
  /// The tables of an SQLite database, without the table of migrations.
  fileprivate func tables() throws -> [Schema.Table] {
    let names = try all(
      """
      SELECT name, sql LIKE '%AUTOINCREMENT%' AS numbered FROM sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' AND name <> 'schema_migrations' ORDER BY rowid
      """
    ) { (name: try $0.get("name", as: String.self), isNumbered: try $0.get("numbered", as: Bool.self)) }
    return try names.map { name, isNumbered in
      let columns = try all("SELECT name, type, pk FROM pragma_table_info(\(name)) ORDER BY cid") { row in
        (
          column: Schema.Column(name: try row.get("name"), type: try type(try row.get("type"))),
          rank: try row.get("pk", as: Int.self)
        )
      }
      return Schema.Table(
        name: name, columns: columns.map(\.column),
        key: columns.filter { $0.rank > 0 }.sorted { $0.rank < $1.rank }.map(\.column.name),
        references: try references(of: name), isNumbered: isNumbered)
    }
  }

  private func references(of table: String) throws -> [Schema.Reference] {
    let parts = try all(
      """
      SELECT id, "table" AS parent, "from" AS child_column, "to" AS parent_column
      FROM pragma_foreign_key_list(\(table)) ORDER BY id, seq
      """
    ) { row in
      (
        id: try row.get("id", as: Int.self), table: try row.get("parent", as: String.self),
        columns: (
          column: try row.get("child_column", as: String.self), target: try row.get("parent_column", as: String.self)
        )
      )
    }
    return Dictionary(grouping: parts, by: \.id).sorted { $0.key < $1.key }.map { _, parts in
      Schema.Reference(table: parts[0].table, columns: parts.map(\.columns))
    }
  }

  private func type(_ declared: String) throws -> SQLType {
    switch declared {
    case "INTEGER", "BIGINT": .integer
    case "TEXT": .text
    default: throw StorageError(.other, "a column is declared \(declared), which is none of INTEGER, BIGINT and TEXT")
    }
  }
}

extension SQL {
  /// `INSERT INTO table (columns) VALUES (...), (...)`. Pass at least one row, each with one value per column. Names are pasted.
  package static func insert(into table: String, _ columns: [Schema.Column], rows: [[SQLValue]]) -> SQL {
    let names = columns.map(\.name).joined(separator: ", ")
    let row = "(" + columns.map { _ in SQLTemplate.mark }.joined(separator: ", ") + ")"
    let template =
      "INSERT INTO \(table) (\(names)) VALUES " + rows.map { _ in row }.joined(separator: ", ")
    let parameters = rows.flatMap { row in
      zip(row, columns).map { Parameter(value: $0, type: $1.type) }
    }
    return SQL(template: SQLTemplate(template), parameters: parameters)
  }
}
