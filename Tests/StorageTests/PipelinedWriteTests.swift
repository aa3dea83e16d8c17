import Logging
import Storage
import Support
import Testing

@Suite("Pipelined writes", .timeLimit(.minutes(5)))
struct PipelinedWriteTests {
  struct Refusal: Error, Equatable {}

  private static let schema = Migration(
    version: 1, name: "rooms",
    sql: """
      CREATE TABLE rooms (id BIGINT NOT NULL PRIMARY KEY, seq BIGINT NOT NULL);
      CREATE TABLE chats (room BIGINT NOT NULL, seq BIGINT NOT NULL, author BIGINT NOT NULL, ordinal BIGINT NOT NULL, text TEXT UNIQUE);
      CREATE TABLE stop (id BIGINT NOT NULL PRIMARY KEY);
      INSERT INTO rooms (id, seq) VALUES (1, 0), (2, 0);
      """)

  private static let ordinal: SQL = "SELECT COALESCE(MAX(ordinal), 0) + 1 FROM chats"

  /// Takes the next number of a room, and writes a chat with it.
  private static func post(
    _ text: String, in room: Int64 = 1, by author: Int64 = 1, refused: Bool = false, _ announced: Log<Int64>,
    _ transaction: Transaction
  ) async throws -> Int64 {
    let place = try await transaction.pipelined("UPDATE rooms SET seq = seq + 1 WHERE id = \(room) RETURNING seq")
    guard let row = place.rows.first, !refused else { throw Refusal() }
    let seq: Int64 = try row.get("seq")
    _ = try await transaction.pipelined(
      """
      INSERT INTO chats (room, seq, author, ordinal, text) VALUES (\(room), \(seq), \(author),
        (\(sql: ordinal) WHERE room = \(room) AND author = \(author)), \(text))
      """)
    transaction.afterCommit { announced.append(seq) }
    return seq
  }

  /// The results of writes that waited together, in the order in which they were made.
  private static func together(
    _ database: Database, _ count: Int, _ write: @escaping @Sendable (Database, Int) async throws -> Int64
  ) async throws -> [Result<Int64, any Error>] {
    let gate = Gate()
    async let blocker: Void = database.write(key: 1, ignoresStop: true) { _ in gate.wait() }
    // Also if this ends early, because a thread waits for it.
    defer { gate.open() }
    await gate.entered()
    var tasks: [Task<Int64, any Error>] = []
    for n in 0..<count {
      tasks.append(Task { try await write(database, n) })
      while database.waiting.writes < tasks.count { try await Task.sleep(for: .milliseconds(1)) }
    }
    gate.open()
    try await blocker
    var results: [Result<Int64, any Error>] = []
    for task in tasks { results.append(await task.result) }
    return results
  }

  private static func texts(_ database: Database) async throws -> [String] {
    try await database.read { try $0.all("SELECT text FROM chats ORDER BY room, seq") { try $0.get("text") } }
  }

  private func withRooms(_ engine: TestEngine, _ body: (Database) async throws -> Void) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema])
      try await body(database)
    }
  }

  @Test(
    "writes that wait together are one transaction, each with the answers to its own statements, in their order",
    arguments: TestEngine.available)
  func order(_ engine: TestEngine) async throws {
    try await withRooms(engine) { database in
      let announced = Log<Int64>()
      let before = database.writeCounts
      let results = try await Self.together(database, 40) { database, n in
        try await database.pipelinedWrite(key: 1) {
          try await Self.post("\(n)", in: Int64(1 + n % 2), by: Int64(n % 3), announced, $0)
        }
      }
      let expected = (0..<40).map { Int64($0 / 2 + 1) }
      #expect(results.map(\.seq) == expected)
      #expect(announced.all == expected)
      #expect(database.writeCounts.commits == before.commits + 1)
      #expect(database.writeCounts.reruns == before.reruns)
      let ordinals = try await database.read {
        try $0.all("SELECT ordinal FROM chats WHERE room = 1 AND author = 0 ORDER BY seq") {
          try $0.get("ordinal", as: Int64.self)
        }
      }
      #expect(ordinals == Array(1...7))
    }
  }

  @Test(
    "writes of one key keep their order, however many statements each awaits", arguments: TestEngine.available)
  func unequal(_ engine: TestEngine) async throws {
    try await withRooms(engine) { database in
      let announced = Log<Int64>()
      let before = database.writeCounts
      let results = try await Self.together(database, 12) { database, n in
        try await database.pipelinedWrite(key: 1) { transaction in
          if n % 3 == 0 { _ = try await transaction.pipelined("SELECT 1 AS one") }
          if n % 4 == 1 { for _ in 0..<n { _ = try await transaction.pipelined("SELECT 2 AS two") } }
          return try await Self.post("\(n)", announced, transaction)
        }
      }
      #expect(results.map(\.seq) == Array(1...12))
      #expect(announced.all == Array(1...12))
      #expect(database.writeCounts.commits == before.commits + 1 && database.writeCounts.reruns == before.reruns)
      let ordinals = try await database.read {
        try $0.all("SELECT ordinal FROM chats ORDER BY seq") { try $0.get("ordinal", as: Int64.self) }
      }
      #expect(ordinals == Array(1...12))
    }
  }

  @Test(
    "writes of different keys lock in the order of their keys, however many statements each awaits",
    .enabled(if: PostgresServer.url != nil))
  func lockOrder() async throws {
    let order = Migration(version: 2, name: "order", sql: "CREATE SEQUENCE took;")
    try await withEngine(.postgres) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      // One writer for all keys.
      (configuration.readers, configuration.writers) = (1, 2)
      let database = try await Database(configuration, logger: Logger(label: "test"))
      try await closing(database) { database in
        try await database.migrate([Self.schema, order])
        let results = try await Self.together(database, 2) { database, n in
          let room = Int64(n + 1)
          return try await database.pipelinedWrite(key: room) { transaction in
            if room == 1 { _ = try await transaction.pipelined("SELECT 1 AS one") }
            let took = try await transaction.pipelined(
              "UPDATE rooms SET seq = nextval('took') WHERE id = \(room) RETURNING seq")
            guard let row = took.rows.first else { throw Refusal() }
            return try row.get("seq")
          }
        }
        #expect(results.map(\.seq) == [1, 2])
      }
    }
  }

  @Test(
    "each of many writes receives its own new id, and the number of rows that its statement changed",
    arguments: TestEngine.available)
  func ids(_ engine: TestEngine) async throws {
    let schema = Migration(
      version: 2, name: "people",
      sql: "CREATE TABLE people (id {{identity}}, name TEXT UNIQUE, seen BIGINT NOT NULL DEFAULT 0);")
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema, schema])
      let before = database.writeCounts
      let results = try await Self.together(database, 24) { database, n in
        let insert: SQL = """
          INSERT INTO people (name) VALUES (\("\(n / 2)")) ON CONFLICT DO NOTHING \(sql: .returningID)
          """
        return try await database.pipelinedWrite(key: 1) { transaction in
          let id: Int64? = try await transaction.pipelined(insert).rows.first?.get("id")
          let seen = try await transaction.pipelined("UPDATE people SET seen = \(n) WHERE id = \(id ?? 0)")
          let name: String? = try transaction.first("SELECT name FROM people WHERE id = \(id ?? 0)") {
            try $0.get("name")
          }
          #expect(name == (n % 2 == 0 ? "\(n / 2)" : nil))
          return Int64(seen.count)
        }
      }
      // Every second name exists already.
      #expect(results.map(\.seq) == (0..<24).map { $0 % 2 == 0 ? 1 : 0 })
      #expect(database.writeCounts.commits == before.commits + 1 && database.writeCounts.reruns == before.reruns)
    }
  }

  @Test("a write refused before it has changed anything costs the others nothing", arguments: TestEngine.available)
  func refused(_ engine: TestEngine) async throws {
    try await withRooms(engine) { database in
      let announced = Log<Int64>()
      let before = database.writeCounts
      let results = try await Self.together(database, 6) { database, n in
        try await database.pipelinedWrite(key: 1) {
          try await Self.post("\(n)", in: n == 2 ? 99 : 1, announced, $0)
        }
      }
      #expect(results.map(\.seq) == [1, 2, nil, 3, 4, 5])
      #expect(throws: Refusal()) { try results[2].get() }
      #expect(announced.all == [1, 2, 3, 4, 5])
      #expect(try await Self.texts(database) == ["0", "1", "3", "4", "5"])
      #expect(database.writeCounts.reruns == before.reruns)
    }
  }

  @Test(
    "a write that fails after a change is undone alone: its body throws, a statement fails or cannot be sent",
    arguments: TestEngine.available, ["refused", "0", "NUL \0"])
  func undone(_ engine: TestEngine, _ text: String) async throws {
    try await withRooms(engine) { database in
      let announced = Log<Int64>()
      let results = try await Self.together(database, 6) { database, n in
        try await database.pipelinedWrite(key: 1) {
          try await Self.post(n == 3 ? text : "\(n)", refused: n == 3 && text == "refused", announced, $0)
        }
      }
      #expect(results.map(\.seq) == [1, 2, 3, nil, 4, 5])
      #expect(announced.all == [1, 2, 3, 4, 5])
      #expect(try await Self.texts(database) == ["0", "1", "2", "4", "5"])
    }
  }

  @Test("no body runs on after SQLite has rolled back the transaction of its batch")
  func rolledBack() async throws {
    let schema = Migration(
      version: 2, name: "plain",
      sql: "CREATE TABLE posts (id BIGINT NOT NULL, room BIGINT NOT NULL, seq BIGINT NOT NULL, text TEXT);")
    try await withDatabase(.sqlite) { database in
      try await database.migrate([Self.schema, schema])
      let announced = Log<Int64>()
      try await database.write {
        _ = try $0.execute("INSERT INTO chats (room, seq, author, ordinal, text) VALUES (2, 1, 1, 1, 'taken')")
      }
      let results = try await Self.together(database, 3) { database, n in
        try await database.pipelinedWrite(key: 1) { transaction in
          if n == 1 {
            // The caller of a post with files; then SQLite rolls back, as it does after SQLITE_IOERR, _NOMEM, _FULL and _INTERRUPT.
            _ = try await transaction.pipelined("SELECT 1 AS one")
            try transaction.execute(
              "INSERT OR ROLLBACK INTO chats (room, seq, author, ordinal, text) VALUES (2, 1, 1, 1, 'taken')")
          }
          _ = try await transaction.pipelined("SELECT 1 AS one")
          let place = try await transaction.pipelined("UPDATE rooms SET seq = seq + 1 WHERE id = 1 RETURNING seq")
          guard let seq: Int64 = try place.rows.first?.get("seq") else { throw Refusal() }
          _ = try await transaction.pipelined(
            "INSERT INTO posts (id, room, seq, text) VALUES (\(Int64.random(in: 1...Int64.max)), 1, \(seq), \("\(n)"))")
          transaction.afterCommit { announced.append(seq) }
          return seq
        }
      }
      let rows = try await database.read {
        try $0.all("SELECT text, seq FROM posts ORDER BY seq") {
          "\(try $0.get("seq", as: Int64.self)):\(try $0.get("text", as: String.self))"
        }
      }
      #expect(results.map(\.seq) == [1, nil, 2])
      #expect(rows == ["1:0", "2:2"])
      #expect(announced.all == [1, 2])
    }
  }

  @Test("a connection lost in the middle of a round loses and repeats nothing", .enabled(if: PostgresServer.url != nil))
  func lost() async throws {
    try await withRooms(.postgres) { database in
      let announced = Log<Int64>()
      let killed = Log<Int>()
      let results = try await Self.together(database, 6) { database, n in
        try await database.pipelinedWrite(key: 1) { transaction in
          if n == 3, killed.all.isEmpty {
            killed.append(1)
            _ = try await transaction.pipelined(
              "SELECT 1 AS one FROM (SELECT pg_terminate_backend(pg_backend_pid())) AS x")
          } else {
            _ = try await transaction.pipelined("SELECT 1 AS one")
          }
          return try await Self.post("\(n)", announced, transaction)
        }
      }
      #expect(results.map(\.seq) == [1, 2, 3, 4, 5, 6])
      #expect(announced.all == [1, 2, 3, 4, 5, 6])
      #expect(try await Self.texts(database) == ["0", "1", "2", "3", "4", "5"])
    }
  }

  @Test("a plain write keeps its place among pipelined ones", arguments: TestEngine.available)
  func mixed(_ engine: TestEngine) async throws {
    try await withRooms(engine) { database in
      let announced = Log<Int64>()
      let results = try await Self.together(database, 9) { database, n in
        guard n % 3 == 2 else {
          return try await database.pipelinedWrite(key: 1) { try await Self.post("\(n)", announced, $0) }
        }
        return try await database.write(key: 1) { transaction in
          let seq: Int64? = try transaction.first("UPDATE rooms SET seq = seq + 1 WHERE id = 1 RETURNING seq") {
            try $0.get("seq")
          }
          transaction.afterCommit { announced.append(seq ?? 0) }
          return seq ?? 0
        }
      }
      #expect(results.map(\.seq) == Array(1...9))
      #expect(announced.all == Array(1...9))
    }
  }

  @Test(
    "statements sent together have more time than one alone", .enabled(if: PostgresServer.url != nil))
  func slow() async throws {
    try await withEngine(.postgres) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      (configuration.readers, configuration.writers) = (1, 2)
      // All 32 statements take longer than this, and each half of them less, also if the server pauses for 8 s.
      (configuration.statementTimeout, configuration.answerGrace) = (.seconds(15), .seconds(5))
      let database = try await Database(configuration, logger: Logger(label: "test"))
      try await closing(database) { database in
        try await database.write(key: 1) { _ = try $0.execute("SELECT 1") }
        let before = database.writersOpened
        let results = try await Self.together(database, 32) { database, n in
          try await database.pipelinedWrite(key: 1) { transaction in
            _ = try await transaction.pipelined("SELECT pg_sleep(0.7)")
            return Int64(n)
          }
        }
        #expect(results.map(\.seq) == Array(0..<32))
        #expect(database.writersOpened == before)
      }
    }
  }

  @Test(
    "a write that obeys a stop changes nothing, with all kinds of writes in its batch", arguments: TestEngine.available)
  func stopped(_ engine: TestEngine) async throws {
    try await withRooms(engine) { database in
      database.stopWrites(whileRowIn: "stop")
      try await database.write(ignoresStop: true) { _ = try $0.execute("INSERT INTO stop (id) VALUES (1)") }
      let announced = Log<Int64>()
      let results = try await Self.together(database, 6) { database, n in
        try await database.pipelinedWrite(key: 1, ignoresStop: n % 2 == 1) {
          try await Self.post("\(n)", announced, $0)
        }
      }
      #expect(results.map(\.seq) == [nil, 1, nil, 2, nil, 3])
      for n in [0, 2, 4] {
        let error = #expect(throws: StorageError.self) { try results[n].get() }
        #expect(error?.code == .writesStopped)
      }
      #expect(announced.all == [1, 2, 3])
    }
  }
}

extension Result<Int64, any Error> {
  fileprivate var seq: Int64? { try? get() }
}
