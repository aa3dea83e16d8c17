import Storage
import Support
import Testing

/// All SQL features that the domain uses, tested on both engines.
@Suite(.timeLimit(.minutes(5))) struct DialectTests {
  private static let schema = Migration(
    version: 1, name: "people",
    sql: """
      CREATE TABLE people (id {{identity}}, email TEXT NOT NULL UNIQUE, nickname TEXT, coins BIGINT NOT NULL DEFAULT 0,
        small INT NOT NULL DEFAULT 0, CONSTRAINT coins_positive CHECK (coins >= 0));
      CREATE TABLE posts (id {{identity}}, person BIGINT NOT NULL REFERENCES people(id), content TEXT NOT NULL);
      """)

  private func withPeople(_ engine: TestEngine, _ body: (Database) async throws -> Void) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema])
      try await body(database)
    }
  }

  private func one<Value: SQLConvertible>(_ database: Database, _ sql: SQL) async throws -> Value? {
    try await database.write { try $0.first(sql) { try $0.get("x", as: Value?.self) } ?? nil }
  }

  @Test("values of every type come back unchanged", arguments: TestEngine.available)
  func roundTrip(_ engine: TestEngine) async throws {
    func check<Value: SQLConvertible & Equatable>(_ values: [Value?], _ database: Database) async throws {
      for value in values {
        let echo: Value? = try await one(database, "SELECT \(value) AS x")
        #expect(echo == value)
      }
    }
    try await withPeople(engine) { database in
      let long = String(repeating: "가", count: 100_000)
      try await check(["", "안녕하세요 🐻‍❄️", "it's \"$1\" \\ %", long, nil], database)
      try await check([Int64.min, -1, 0, Int64.max, nil], database)
      try await check([0.1, -1e300, 2, nil], database)
      try await check([true, false, nil], database)
    }
  }

  @Test("parameters work wherever an expression does", arguments: TestEngine.available)
  func parameters(_ engine: TestEngine) async throws {
    try await withPeople(engine) { database in
      #expect(try await one(database, "SELECT \(Int64.max - 1) + 1 AS x") == Int64.max)
      #expect(try await one(database, "SELECT CASE WHEN \(5) >= \(3) THEN \("yes") ELSE \("no") END AS x") == "yes")
      #expect(try await one(database, "SELECT COALESCE(\(nil as String?), \("b")) AS x") == "b")
      #expect(try await one(database, "SELECT CASE WHEN \(nil as Int?) IS NULL THEN 1 ELSE 0 END AS x") == 1)
      try await database.write {
        try $0.execute("INSERT INTO people (email, nickname, small) VALUES (\("a"), \("A"), \(7))")
        try $0.execute("UPDATE people SET nickname = COALESCE(\(nil as String?), nickname), small = small + \(1)")
      }
      #expect(try await one(database, "SELECT nickname AS x FROM people LIMIT \(1) OFFSET \(0)") == "A")
      #expect(try await one(database, "SELECT small AS x FROM people WHERE id IN (\(list: [1, 2]))") == 8)
      #expect(try await one(database, "SELECT SUM(coins + 3) AS x FROM people") == 3)
      #expect(try await one(database, "SELECT count(*) AS x FROM people WHERE id IN (\(list: [Int]()))") == 0)
    }
  }

  @Test("RETURNING, upsert and conditional insert work in one statement", arguments: TestEngine.available)
  func writing(_ engine: TestEngine) async throws {
    try await withPeople(engine) { database in
      try await database.write { transaction in
        let upsert: SQL = """
          INSERT INTO people (email, coins) VALUES (\("kim"), \(5)) ON CONFLICT (email)
          DO UPDATE SET coins = people.coins + excluded.coins
          RETURNING id, coins, (SELECT count(*) FROM posts WHERE person = people.id) AS posts
          """
        for expected in [5, 10] {
          let row = try transaction.first(upsert) {
            (try $0.get("coins", as: Int.self), try $0.get("posts", as: Int.self))
          }
          #expect(row?.0 == expected)
          #expect(row?.1 == 0)
        }
        let again = try transaction.execute("INSERT INTO people (email) VALUES (\("kim")) ON CONFLICT DO NOTHING")
        #expect(again == 0)
        for (email, expected) in [("kim", 1), ("lee", 0)] {
          let inserted = try transaction.execute(
            """
            INSERT INTO posts (person, content) SELECT id, \("hi") FROM people
            WHERE email = \(email) AND EXISTS (SELECT 1 FROM people WHERE coins > \(1))
            """)
          #expect(inserted == expected)
        }
        #expect(try transaction.execute("DELETE FROM posts") == 1)
      }
    }
  }

  @Test("an INSERT returns the id of its row, and none if nothing was inserted", arguments: TestEngine.available)
  func newIDs(_ engine: TestEngine) async throws {
    @Sendable func insert(_ email: String) -> SQL {
      "INSERT INTO people (email) VALUES (\(email)) ON CONFLICT DO NOTHING \(sql: .returningID)"
    }
    @Sendable func id(_ row: Row) throws -> Int64 { try row.get("id") }
    try await withPeople(engine) { database in
      let ids = try await database.write { transaction in
        let first = try transaction.first(insert("kim"), id)
        #expect(try transaction.first(insert("ahn"), id) == 2)
        // In another table, with its own numbers.
        let post = try transaction.first(
          "INSERT INTO posts (person, content) VALUES (\(first ?? 0), \("hi")) \(sql: .returningID)", id)
        #expect(try transaction.first(insert("kim"), id) == nil && post == 1)
        return [first] + (try transaction.all(insert("lee"), id))
      }
      let told = try await database.read { try $0.all("SELECT id FROM people WHERE email <> 'ahn' ORDER BY id", id) }
      #expect(told == ids && ids.count == 2)
      #expect(try await database.write { try $0.execute(insert("park")) } == 1)
      let name: String? = try await database.pipelinedWrite { transaction in
        let number = try await transaction.pipelined(insert("choi")).rows.first.map(id)
        let updated = try await transaction.pipelined("UPDATE people SET coins = 7 WHERE id = \(number)")
        #expect(updated.count == 1)
        return try transaction.first("SELECT email AS x FROM people WHERE coins = 7") { try $0.get("x") }
      }
      #expect(name == "choi")
      let idle: SQL = "DELETE FROM people WHERE email = \("nobody")"
      #expect(try await database.pipelinedWrite { try await $0.pipelined(idle).count } == 0)
      #expect(try await database.write { try $0.execute(idle) } == 0)
    }
  }

  @Test("a new id is refused where SQLite could report a wrong one, and nothing is written")
  func unknownIDs() async throws {
    try await withPeople(.sqlite) { (database) async throws in
      let statements: [(SQL, StorageError.Code)] = [
        (
          "INSERT INTO people (email) VALUES ('kim') ON CONFLICT (email) DO UPDATE SET coins = 1 \(sql: .returningID)",
          .syntax
        ),
        ("UPDATE people SET coins = 1 \(sql: .returningID)", .syntax),
        ("INSERT INTO people (email) VALUES ('kim'), ('lee') \(sql: .returningID)", .other),
      ]
      for (sql, code) in statements {
        let error = await #expect(throws: StorageError.self) { try await database.write { try $0.execute(sql) } }
        #expect(error?.code == code)
      }
      #expect(try await one(database, "SELECT count(*) AS x FROM people") == 0)
    }
  }

  @Test("row values, windows, LIKE with ESCAPE and FILTER work alike", arguments: TestEngine.available)
  func reading(_ engine: TestEngine) async throws {
    try await withPeople(engine) { database in
      try await database.write { transaction in
        for email in ["A_1", "a%2", "b3"] { try transaction.execute("INSERT INTO people (email) VALUES (\(email))") }
      }
      let found = try await database.read { transaction in
        try transaction.all(
          "SELECT email FROM people WHERE LOWER(email) LIKE LOWER(\("A\\_%")) ESCAPE '\\'"
        ) { try $0.get("email", as: String.self) }
      }
      #expect(found == ["A_1"])
      let after = try await database.read { transaction in
        try transaction.all(
          """
          SELECT email, ROW_NUMBER() OVER (ORDER BY id) AS place, count(*) FILTER (WHERE coins = 0) OVER () AS total
          FROM people WHERE (coins, id) > (\(0), \(1)) ORDER BY id
          """
        ) { [try $0.get("place", as: Int.self), try $0.get("total", as: Int.self)] }
      }
      #expect(after == [[1, 2], [2, 2]])
    }
  }

  @Test("violations and faults have the same code on both engines", arguments: TestEngine.available)
  func errors(_ engine: TestEngine) async throws {
    try await withPeople(engine) { database in
      try await database.write { _ = try $0.execute("INSERT INTO people (email) VALUES (\("a"))") }
      let cases: [(SQL, StorageError.Code)] = [
        ("INSERT INTO people (email) VALUES (\("a"))", .unique),
        ("INSERT INTO posts (person, content) VALUES (\(99), \("x"))", .foreignKey),
        ("INSERT INTO people (email, coins) VALUES (\("b"), \(-1))", .check),
        ("INSERT INTO people (email) VALUES (\(nil as String?))", .notNull),
        ("SELEKT 1", .syntax),
        ("SELECT \("a\0b")", .encoding),
      ]
      for (sql, code) in cases {
        let error = await #expect(throws: StorageError.self) { try await database.write { _ = try $0.execute(sql) } }
        #expect(error?.code == code)
        if code == .unique || code == .check { #expect(error?.constraint?.isEmpty == false) }
      }
      let refused = await #expect(throws: StorageError.self) {
        try await database.read { _ = try $0.execute("DELETE FROM people") }
      }
      #expect(refused?.code == .readOnly)
    }
  }

  @Test("a column that is absent or of another type is named in the error", arguments: TestEngine.available)
  func decoding(_ engine: TestEngine) async throws {
    try await withPeople(engine) { database in
      for column in ["absent", "x", "y"] {
        let error = await #expect(throws: StorageError.self) {
          try await database.read { try $0.all("SELECT 'text' AS x, NULL AS y") { try $0.get(column, as: Int.self) } }
        }
        #expect(error?.code == .decoding)
        #expect(error?.message.contains(column) == true)
      }
    }
  }

  @Test(
    "the engine's statement cache may be far smaller than the number of statements", arguments: TestEngine.available)
  func evicts(_ engine: TestEngine) async throws {
    try await withDatabase(engine, \.statementCacheLimit, 3) { database in
      for _ in 0..<2 {
        for number in 0..<20 {
          let sql: SQL = "SELECT \(number) + \(raw: "\(number)") AS x"
          #expect(try await one(database, sql) == 2 * number)
          #expect(try await database.read { try $0.first(sql) { try $0.get("x", as: Int.self) } } == 2 * number)
        }
      }
      guard engine == .postgres else { return }
      let kept: Int? = try await one(database, "SELECT count(*) AS x FROM pg_prepared_statements")
      #expect(try #require(kept) <= 5)
    }
  }

  @Test("a statement may run inside the rows of the same statement", arguments: TestEngine.available)
  func nests(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      let sums = try await database.read { transaction in
        let numbers: SQL = "SELECT 1 AS x UNION ALL SELECT 2 ORDER BY 1"
        return try transaction.all(numbers) { outer in
          try transaction.all(numbers) { try $0.get("x", as: Int.self) + outer.get("x", as: Int.self) }
        }
      }
      #expect(sums == [[2, 3], [3, 4]])
    }
  }

  @Test("a statement that takes too long is interrupted", arguments: TestEngine.available)
  func timesOut(_ engine: TestEngine) async throws {
    try await withDatabase(engine, \.statementTimeout, .seconds(15)) { database in
      let error = await #expect(throws: StorageError.self) {
        try await database.read { _ = try $0.execute(.endless(engine)) }
      }
      #expect(error?.code == .timeout)
      try await database.ping()
    }
  }
}
