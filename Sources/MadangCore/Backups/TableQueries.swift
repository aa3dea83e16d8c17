import Storage

extension Transaction {
  /// All rows of a table, ordered by its key.
  func forEachRow(of table: Schema.Table, _ body: (Row) throws -> Void) throws {
    let columns = table.columns.map(\.name).joined(separator: ", ")
    let key = table.key.joined(separator: ", ")
    try forEach("SELECT \(raw: columns) FROM \(raw: table.name) ORDER BY \(raw: key)", body)
  }

  func rowCount(of table: String) throws -> Int {
    try one("SELECT COUNT(*) AS number FROM \(raw: table)") { try $0.get("number") }
  }

  func hasRows(_ table: String) throws -> Bool {
    try first("SELECT 1 AS one FROM \(raw: table) LIMIT 1") { _ in true } ?? false
  }

  /// The highest number that a row of the table was given; nil if there was none.
  func lastNumber(of table: String, _ dialect: Dialect) throws -> Int64? {
    try first(dialect.lastNumber(of: table)) { try $0.get("number", as: Int64?.self) } ?? nil
  }
}
