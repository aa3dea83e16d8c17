import Testing

@testable import Storage

@Suite struct SQLTests {
  @Test("an interpolated value is bound, never pasted")
  func binds() {
    let name = "x'; DROP TABLE users"
    let missing: Int? = nil
    let sql: SQL = "SELECT \(name), \(missing), \(true)"
    #expect(sql.text == "SELECT $1, $2, $3")
    #expect(sql.values == [.text(name), .null, .integer(1)])
  }

  @Test("embedded and added SQL is renumbered, and a dollar in a literal stays")
  func renumbers() {
    let condition: SQL = "price = '$1' AND id = \(7)"
    let sql: SQL = "SELECT \(1) WHERE \(sql: condition) ORDER BY id \(raw: "DESC")" + " LIMIT \(5)"
    #expect(sql.text == "SELECT $1 WHERE price = '$1' AND id = $2 ORDER BY id DESC LIMIT $3")
    #expect(sql.values == [.integer(1), .integer(7), .integer(5)])
  }

  @Test("a list binds each element, and an empty one a null")
  func lists() {
    let filled: SQL = "id IN (\(list: [1, 2, 3])) AND \(4)"
    #expect(filled.text == "id IN ($1, $2, $3) AND $4")
    let empty: SQL = "id IN (\(list: [Int]()))"
    #expect(empty.values == [.null])
  }

  @Test("an error shows its details only in the log")
  func errorIsSilent() {
    let error = StorageError(.unique, "Key (email)=(a@b.c)", sql: "INSERT")
    #expect("\(error)" == "StorageError")
    #expect(error.debugDescription.contains("a@b.c"))
  }

  @Test("templates are equal if all their bytes are, however they were built")
  func templates() {
    let long = String(repeating: "SELECT 각 ", count: 40)
    func template(_ sql: SQL) -> SQLTemplate { sql.template }
    #expect(template("\(raw: long)WHERE id = \(1)") == template("\(raw: long)" + "WHERE id = \(2)"))
    #expect(template("\(raw: long)WHERE id = \(1)").hashValue == template("\(raw: long)WHERE id = \(2)").hashValue)
    #expect(template("a\(1)b\(raw: long)") != template("ab\(1)\(raw: long)"))
    #expect(template("") == template("") && template("") != template("\(1)"))
    #expect(template("\(1)\(2)").text(for: .sqlite) == "$1$2")
  }

  @Test("SQLite, which returns a new row's id by a function, gets the statement without the clause")
  func returningID() {
    let sql: SQL = "INSERT INTO rooms (name, seq) VALUES (\("각"), \(1)) \(sql: .returningID)"
    #expect(sql.template.text(for: .postgres) == "INSERT INTO rooms (name, seq) VALUES ($1, $2) RETURNING id")
    #expect(sql.template.text(for: .sqlite) == "INSERT INTO rooms (name, seq) VALUES ($1, $2) ")
    #expect(sql.template.returnsID && sql.text.hasSuffix(" RETURNING id"))
    let without: SQL = "INSERT INTO rooms (name, seq) VALUES (\("각"), \(1)) "
    #expect(!without.template.returnsID && without.template != sql.template)
  }

  @Test("a column is found in any order of reading")
  func columns() {
    let columns = ColumnNames(["a", "b", "c"])
    for name in ["c", "a", "b", "b", "c", "c", "none", "a", "c", "b"] {
      #expect(columns.index(of: name) == columns.names.firstIndex(of: name), "\(name)")
    }
    #expect(ColumnNames([]).index(of: "a") == nil)
  }

  @Test("the statement cache never exceeds its limit and drops the least recently used")
  func cacheIsBounded() {
    let (a, b, c) = (
      StatementKey(template: SQLTemplate("a")), StatementKey(template: SQLTemplate("b")),
      StatementKey(template: SQLTemplate("b"), types: [20])
    )
    var cache = StatementCache<Int>(limit: 2)
    #expect(cache.keep(1, for: a) == nil)
    #expect(cache.keep(2, for: b) == nil)
    #expect(cache.use(a) == 1)
    #expect(cache.keep(3, for: c) == 2)
    #expect(cache.count == 2)
    #expect(cache.use(b) == nil)
    #expect(cache.take(a) == 1)
    #expect(cache.count == 1)
  }
}
