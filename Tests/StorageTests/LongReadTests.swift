import Foundation
import Logging
import Storage
import Support
import Synchronization
import Testing

/// Requirements of backups: rows one by one, a snapshot that lasts, tables copied with their numbers.
@Suite(.timeLimit(.minutes(5))) struct LongReadTests {
  private static let schema = [
    Migration(
      version: 1, name: "posts",
      sql: """
        CREATE TABLE posts (id {{identity}}, person BIGINT NOT NULL REFERENCES people (id), note TEXT, UNIQUE (person, id));
        """),
    Migration(
      version: 0, name: "people", sql: "CREATE TABLE people (id {{identity}}, name TEXT NOT NULL);"),
    Migration(
      version: 2, name: "visits",
      sql: """
        CREATE TABLE visits (person BIGINT NOT NULL, day BIGINT NOT NULL, post BIGINT REFERENCES posts (id),
          PRIMARY KEY (day, person));
        ALTER TABLE people ADD COLUMN age BIGINT;
        """),
  ]

  private func withPeople(
    _ engine: TestEngine, count: Int, _ body: (Database) async throws -> Void
  ) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate(Self.schema)
      try await database.write { transaction in
        _ = try transaction.execute(
          """
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
          INSERT INTO people (name, age) SELECT 'person', n FROM numbers
          """)
      }
      try await body(database)
    }
  }

  @Test("rows are delivered one by one, however many there are", arguments: TestEngine.available)
  func rows(_ engine: TestEngine) async throws {
    // PostgreSQL's fetch size, more, fewer, none.
    try await withPeople(engine, count: 1700) { database in
      for (from, expected) in [(0, 1700), (200, 1500), (1200, 500), (1201, 499), (1699, 1), (1700, 0)] {
        let ages = try await database.read { transaction in
          var ages: [Int] = []
          try transaction.forEach("SELECT age FROM people WHERE age > \(from) ORDER BY age") {
            ages.append(try $0.get("age"))
          }
          return ages
        }
        #expect(ages == Array(from + 1..<from + 1 + expected))
      }
    }
  }

  @Test(
    "an error that the body throws between two rows is rethrown, and the next read succeeds",
    arguments: TestEngine.available)
  func thrown(_ engine: TestEngine) async throws {
    struct Enough: Error {}
    try await withPeople(engine, count: 1000) { database in
      for _ in 0..<3 {
        await #expect(throws: Enough.self) {
          try await database.read { transaction in
            var count = 0
            try transaction.forEach("SELECT age FROM people") { _ in
              count += 1
              if count == 700 { throw Enough() }
            }
          }
        }
      }
      let count = try await database.read {
        try $0.first("SELECT COUNT(*) AS x FROM people") { try $0.get("x", as: Int.self) }
      }
      #expect(count == 1000)
    }
  }

  @Test("the schema lists the tables of migrations, each after those it refers to")
  func schema() async throws {
    let schema = try await Schema(Self.schema, logger: Logger(label: "test"))
    #expect(schema.tables.map(\.name) == ["people", "posts", "visits"])
    #expect(schema.tables.map(\.isNumbered) == [true, true, false])
    #expect(schema.tables.map(\.key) == [["id"], ["id"], ["day", "person"]])
    let columns = schema.tables[0].columns
    #expect(columns.map(\.name) == ["id", "name", "age"])
    #expect(columns.map(\.type) == [.integer, .text, .integer])
    #expect(schema.tables.map { $0.references.map(\.table) } == [[], ["people"], ["posts"]])
    #expect(schema.tables[2].references[0].columns.map(\.column) == ["post"])
  }

  @Test("rows with given numbers are inserted, and the engine continues its numbering", arguments: TestEngine.available)
  func numbers(_ engine: TestEngine) async throws {
    try await withPeople(engine, count: 3) { database in
      let schema = try await Schema(Self.schema, logger: Logger(label: "test"))
      let dialect = database.dialect
      let (before, next) = try await database.write { transaction in
        try transaction.execute("DELETE FROM people WHERE age = 3")
        let before = try transaction.first(dialect.lastNumber(of: "people")) { try $0.get("number", as: Int64?.self) }
        try transaction.execute(
          .insert(
            into: "people", schema.tables[0].columns,
            rows: [[.integer(41), .text("\u{7}\\N\t'\n\r"), .null], [.integer(40), .text(""), .integer(.min)]]))
        for statement in dialect.countOn("people", after: 50) { _ = try transaction.first(statement) { _ in true } }
        let next: Int64? = try transaction.first("INSERT INTO people (name) VALUES ('next') RETURNING id") {
          try $0.get("id")
        }
        return (before, next)
      }
      #expect(before == 3, "a number is never given twice, so that of a deleted row counts")
      #expect(next == 51)
      let rows = try await database.read { transaction in
        try transaction.all("SELECT id, name, age FROM people WHERE id IN (40, 41) ORDER BY id") { $0.values }
      }
      #expect(
        rows == [
          [.integer(40), .text(""), .integer(.min)], [.integer(41), .text("\u{7}\\N\t'\n\r"), .null],
        ])
      let none = try await database.read {
        try $0.first(dialect.lastNumber(of: "posts")) { try $0.get("number", as: Int64?.self) }
      }
      #expect((none ?? nil) == nil)
    }
  }

  @Test("a long read sees one snapshot while others write, and leaves nothing behind", arguments: TestEngine.available)
  func moment(_ engine: TestEngine) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-copy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withPeople(engine, count: 2000) { database in
      // Each write moves an amount from one person to another, so that every snapshot has the same sum.
      let hasEnded = Mutex(false)
      let writer = Task {
        var moves = 0
        while !hasEnded.withLock(\.self) {
          let (from, to) = (moves % 2000 + 1, (moves * 7 + 13) % 2000 + 1)
          try await database.write { transaction in
            try transaction.execute("UPDATE people SET age = age - 1 WHERE id = \(from)")
            try transaction.execute("UPDATE people SET age = age + 1 WHERE id = \(to)")
          }
          moves += 1
        }
        return moves
      }
      let expected = 2000 * 2001 / 2
      for _ in 0..<5 {
        let (sum, again) = try await database.readAtLength(copyIn: folder, .full, logger: Logger(label: "test")) {
          transaction in
          var sum = 0
          try transaction.forEach("SELECT age FROM people ORDER BY id") { sum += try $0.get("age") }
          let again = try transaction.first("SELECT SUM(age) AS x FROM people") { try $0.get("x", as: Int.self) }
          return (sum, again)
        }
        #expect(sum == expected)
        #expect(again == expected)
      }
      hasEnded.withLock { $0 = true }
      #expect(try await writer.value > 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test("SQLite's log can be emptied under a long read")
  func logStaysShort() async throws {
    try await withEngine(.sqlite) { place in
      guard case .sqlite(let path) = place else { return }
      var configuration = DatabaseConfiguration.forTests(place)
      configuration.walLimit = 256 << 10
      try await closing(try await Database(configuration, logger: Logger(label: "test"))) { database in
        try await database.migrate([Migration(version: 1, name: "t", sql: "CREATE TABLE t (n TEXT NOT NULL)")])
        let (isReading, readingBegan) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        let folder = URL(filePath: path).deletingLastPathComponent()
        async let rows = database.readAtLength(copyIn: folder, .gentle, logger: Logger(label: "test")) { transaction in
          readingBegan.yield()
          mayEnd.wait()
          return try transaction.first("SELECT COUNT(*) AS x FROM t") { try $0.get("x", as: Int.self) }
        }
        for await _ in isReading { break }
        for name in ["copy.sqlite", "copy.sqlite-wal", "copy.sqlite-shm"] {
          let file = folder.appending(path: name).path
          guard name == "copy.sqlite" || FileManager.default.fileExists(atPath: file) else { continue }
          let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
          #expect(mode == 0o600, "\(name)")
        }
        let text = String(repeating: "x", count: 10_000)
        for _ in 0..<200 { try await database.write { _ = try $0.execute("INSERT INTO t (n) VALUES (\(text))") } }
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
        #expect(size <= 512 << 10, "2 MB were written")
        mayEnd.signal()
        #expect(try await rows == 0)
      }
    }
  }
}
