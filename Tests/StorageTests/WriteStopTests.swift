import Logging
import Storage
import Support
import Testing

@Suite("Stopped writes", .timeLimit(.minutes(5)))
struct WriteStopTests {
  private static let schema = Migration(
    version: 1, name: "stop",
    sql: """
      CREATE TABLE things (id {{identity}}, n BIGINT NOT NULL);
      CREATE TABLE stop (id BIGINT NOT NULL PRIMARY KEY);
      """)

  private static func begin(_ database: Database) async throws {
    let began = ContinuousClock.now
    try await database.write(ignoresStop: true) { transaction in
      try database.lockStop(in: "stop", transaction, triedSince: began)
      try transaction.execute("INSERT INTO stop (id) VALUES (1)")
    }
  }

  private static func count(_ database: Database) async throws -> Int {
    try await database.read { try $0.first("SELECT count(*) AS x FROM things") { try $0.get("x") } } ?? -1
  }

  private static func insert(_ n: Int, _ database: Database, ignoresStop: Bool = false) async throws {
    try await database.write(key: Int64(n % 7), ignoresStop: ignoresStop) { transaction in
      _ = try transaction.execute("INSERT INTO things (n) VALUES (\(n))")
    }
  }

  private static func code(of body: () async throws -> Void) async -> StorageError.Code? {
    (await failure(of: body) as? StorageError)?.code
  }

  @Test(
    "a write that obeys a stop is refused as long as there is a row, alone and in a batch; the rest of the batch is committed",
    arguments: TestEngine.available)
  func refuses(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema])
      // No stop is set yet.
      try await Self.begin(database)
      try await Self.insert(0, database)
      database.stopWrites(whileRowIn: "stop")
      #expect(await Self.code { try await Self.insert(0, database) } == .writesStopped)
      #expect(
        await Self.code {
          try await database.writeAside { _ = try $0.execute("INSERT INTO things (n) VALUES (1)") }
        } == .writesStopped)
      // The body's own error is ignored, so that both engines behave alike.
      #expect(
        await Self.code {
          try await database.write { transaction in
            _ = try transaction.execute("SELECT 1")
            throw StorageError(.other, "of the body")
          }
        } == .writesStopped)
      let gate = Gate()
      async let blocker: Void = database.write(key: 3, ignoresStop: true) { _ in gate.wait() }
      await gate.entered()
      let announced = Log<Int>()
      let codes = try await withThrowingTaskGroup(of: (Int, StorageError.Code?).self) { group in
        for n in 0..<20 {
          group.addTask {
            let code = await Self.code {
              try await database.write(key: 3, ignoresStop: n % 2 == 1) { transaction in
                transaction.afterCommit { announced.append(n) }
                _ = try transaction.execute("INSERT INTO things (n) VALUES (\(n))")
              }
            }
            return (n, code)
          }
        }
        gate.open()
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      try await blocker
      #expect(
        codes.compactMapValues(\.self) == Dictionary(uniqueKeysWithValues: (0..<10).map { ($0 * 2, .writesStopped) }))
      #expect(announced.all.sorted() == (0..<10).map { $0 * 2 + 1 })
      #expect(try await Self.count(database) == 11)
      #expect(
        await Self.code {
          try await database.write(ignoresStop: true) { try database.refuseIfStopped(in: "stop", $0) }
        } == .writesStopped)
      try await database.write(ignoresStop: true) { _ = try $0.execute("DELETE FROM stop") }
      try await Self.insert(99, database)
      #expect(try await Self.count(database) == 12)
    }
  }

  @Test(
    "once a stop is confirmed, no process commits a write that obeys it",
    arguments: TestEngine.available)
  func isExact(_ engine: TestEngine) async throws {
    try await withEngine(engine) { place in
      try await opening(place) { database in
        try await database.migrate([Self.schema])
        database.stopWrites(whileRowIn: "stop")
        try await opening(place) { other in
          for round in 0..<10 {
            try await Self.stop(database, from: other, after: round * 3)
            try await other.write(ignoresStop: true) { _ = try $0.execute("DELETE FROM stop") }
          }
        }
      }
    }
  }

  @Test(
    "writes cannot be stopped while one of them hangs: that fails soon, others continue meanwhile, and later it succeeds",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func hanging(_ engine: TestEngine) async throws {
    // No lock timeout ends a wait here.
    try await withDatabase(engine, \.lockTimeout, .zero) { database in
      try await database.migrate([Self.schema])
      database.stopWrites(whileRowIn: "stop")
      let gate = Gate()
      async let hanging: Void = database.write(key: 0) { transaction in
        try transaction.execute("INSERT INTO things (n) VALUES (0)")
        gate.wait()
      }
      await gate.entered()
      async let stop = Self.code { try await Self.begin(database) }
      for _ in 0..<20 { try await database.writeAside { _ = try $0.execute("INSERT INTO things (n) VALUES (1)") } }
      #expect(await stop == .serialization)
      gate.open()
      try await hanging
      try await Self.begin(database)
      #expect(try await Self.count(database) == 21)
    }
  }

  @Test(
    "a write with only steps before COMMIT is refused, and the rest of its batch committed",
    arguments: TestEngine.available)
  func commitSteps(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema])
      database.stopWrites(whileRowIn: "stop")
      try await Self.begin(database)
      let gate = Gate()
      async let blocker: Void = database.write(key: 3, ignoresStop: true) { _ in gate.wait() }
      await gate.entered()
      let codes = try await withThrowingTaskGroup(of: (Bool, StorageError.Code?).self) { group in
        for ignoresStop in [false, true, false] {
          group.addTask {
            let code = await Self.code {
              try await database.write(key: 3, ignoresStop: ignoresStop) { transaction in
                transaction.beforeCommit(changing: SharedRow(kind: "thing", number: 1)) { transaction, _ in
                  try transaction.execute("INSERT INTO things (n) VALUES (1)")
                }
              }
            }
            return (ignoresStop, code)
          }
        }
        while database.waiting.writes < 3 { await Task.yield() }
        gate.open()
        return try await group.reduce(into: []) { $0.append($1) }
      }
      try await blocker
      for (ignoresStop, code) in codes { #expect(code == (ignoresStop ? nil : .writesStopped)) }
      #expect(try await Self.count(database) == 1)
    }
  }

  @Test(
    "writes are stopped although each of them takes a while, one after the other",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func slow(_ engine: TestEngine) async throws {
    try await withEngine(engine) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      (configuration.readers, configuration.writers) = (1, 4)
      let database = try await Database(configuration, logger: Logger(label: "test"))
      try await database.migrate([Self.schema])
      database.stopWrites(whileRowIn: "stop")
      try await withThrowingTaskGroup(of: Void.self) { group in
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        for n in 0..<3 {
          group.addTask {
            while !Task.isCancelled {
              let code = await Self.code {
                try await database.write(key: Int64(n)) { transaction in
                  try transaction.execute("INSERT INTO things (n) VALUES (\(n))")
                  beginning.yield()
                  _ = try transaction.execute("SELECT pg_sleep(0.5)")
                }
              }
              if code == .writesStopped { return }
              #expect(code == nil)
            }
          }
        }
        for await _ in begun { break }
        try await opening(place) { (stopping) async throws -> Void in
          // It gives up while a backend is suspended for seconds.
          var code: StorageError.Code? = .serialization
          for _ in 1...3 where code == .serialization { code = await Self.code { try await Self.begin(stopping) } }
          try #require(code == nil)
        }
        try await group.waitForAll()
      }
      await database.close()
    }
  }

  @Test("a write that is refused locks no row of the table", arguments: TestEngine.available.filter { $0 == .postgres })
  func locksNothing(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema])
      database.stopWrites(whileRowIn: "stop")
      try await Self.begin(database)
      #expect(await Self.code { try await Self.insert(0, database) } == .writesStopped)
      let lockers = try await database.read {
        try $0.first("SELECT xmax = 0 AS free FROM stop") { try $0.get("free", as: Bool.self) }
      }
      #expect(lockers == true)
    }
  }

  /// Stops writes through one value of the database while many are made through another.
  /// - Parameter count: Stops after this many writes were answered.
  private static func stop(_ database: Database, from other: Database, after count: Int) async throws {
    let stopped = Log<Void>()
    let answered = AsyncStream<Void>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for n in 0..<24 {
        group.addTask {
          while true {
            // A write that begins after the stop was confirmed must be refused.
            let isLate = !stopped.all.isEmpty
            let code = await code { try await insert(n, database) }
            answered.continuation.yield()
            if code == .writesStopped { return }
            #expect(code == nil && !isLate)
          }
        }
      }
      var answers = answered.stream.makeAsyncIterator()
      for _ in 0..<count { await answers.next() }
      try await begin(other)
      let things = try await Self.count(other)
      stopped.append(())
      try await group.waitForAll()
      #expect(try await Self.count(other) == things)
    }
  }
}
