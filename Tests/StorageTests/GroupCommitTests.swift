import Logging
import Storage
import Support
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct GroupCommitTests {
  struct Refusal: Error, Equatable {}

  private static let schema = Migration(
    version: 1, name: "counter",
    sql: """
      CREATE TABLE counter (id {{identity}}, n BIGINT NOT NULL UNIQUE);
      CREATE TABLE total (n BIGINT NOT NULL);
      INSERT INTO total (n) VALUES (0);
      """)

  private func withCounter(
    _ engine: TestEngine, queueLimit: Int = 100_000, _ body: (Database) async throws -> Void
  ) async throws {
    try await withDatabase(engine, \.writeQueueLimit, queueLimit) { database in
      try await database.migrate([Self.schema])
      try await body(database)
    }
  }

  private func count(_ database: Database) async throws -> Int? {
    try await database.read { try $0.first("SELECT count(*) AS x FROM counter") { try $0.get("x") } }
  }

  @Test("concurrent writes all count, and their announcements follow their commits", arguments: TestEngine.available)
  func increments(_ engine: TestEngine) async throws {
    try await withCounter(engine) { database in
      let announced = Log<Int>()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<200 {
          group.addTask {
            try await database.write { transaction in
              let n = try transaction.first("UPDATE total SET n = n + 1 RETURNING n") { try $0.get("n", as: Int.self) }
              transaction.afterCommit { announced.append(n ?? 0) }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(announced.all == Array(1...200))
    }
  }

  @Test("a write that fails in a batch leaves the others, and announces nothing", arguments: TestEngine.available)
  func isolation(_ engine: TestEngine) async throws {
    try await withCounter(engine) { database in
      let announced = Log<Int>()
      let gate = Gate()
      async let blocker: Void = database.write { _ in gate.wait() }
      await gate.entered()
      let outcomes = try await withThrowingTaskGroup(of: (Int, (any Error)?).self) { group in
        for n in 0..<30 {
          group.addTask {
            do {
              try await database.write { transaction in
                transaction.afterCommit { announced.append(n) }
                try transaction.execute("INSERT INTO counter (n) VALUES (\(n))")
                if n % 3 == 1 { try transaction.execute("INSERT INTO counter (n) VALUES (\(n))") }
                if n % 3 == 2 {
                  do { try transaction.execute("INSERT INTO counter (n) VALUES (\(n))") } catch { throw Refusal() }
                }
              }
              return (n, nil)
            } catch {
              return (n, error)
            }
          }
        }
        gate.open()
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      try await blocker
      #expect(announced.all.sorted() == Array(stride(from: 0, to: 30, by: 3)))
      #expect(try await count(database) == 10)
      for n in 0..<30 {
        switch n % 3 {
        case 0: #expect(outcomes[n] == nil)
        case 1: #expect((outcomes[n] as? StorageError)?.code == .unique)
        default: #expect(outcomes[n] as? Refusal == Refusal())
        }
      }
    }
  }

  @Test("a write that takes too long does not fail the others of its batch", arguments: TestEngine.available)
  func slowWrite(_ engine: TestEngine) async throws {
    try await withDatabase(engine, \.statementTimeout, .seconds(15)) { database in
      try await database.migrate([Self.schema])
      let gate = Gate()
      async let blocker: Void = database.write { _ in gate.wait() }
      await gate.entered()
      let codes = await withTaskGroup(of: StorageError.Code?.self) { group in
        for n in 0..<4 {
          group.addTask {
            do {
              try await database.write { transaction in
                try transaction.execute("INSERT INTO counter (n) VALUES (\(n))")
                guard n == 2 else { return }
                try transaction.execute(.endless(engine))
              }
              return nil
            } catch { return (error as? StorageError)?.code }
          }
        }
        gate.open()
        return await group.reduce(into: []) { $0.append($1) }
      }
      try await blocker
      #expect(codes.compactMap { $0 } == [.timeout])
      #expect(try await count(database) == 3)
    }
  }

  @Test("a write whose statement failed is rolled back even if its body continues", arguments: TestEngine.available)
  func swallowedFailure(_ engine: TestEngine) async throws {
    try await withCounter(engine) { database in
      let error = await #expect(throws: StorageError.self) {
        try await database.write { transaction in
          try transaction.execute("INSERT INTO counter (n) VALUES (1)")
          _ = try? transaction.execute("INSERT INTO counter (n) VALUES (1)")
        }
      }
      let rows = try await count(database)
      #expect(error?.code == .unique)
      #expect(rows == 0)
    }
  }

  @Test("a write that is cancelled while it waits never runs", arguments: TestEngine.available)
  func cancellation(_ engine: TestEngine) async throws {
    try await withCounter(engine) { database in
      let gate = Gate()
      async let blocker: Void = database.write { _ in gate.wait() }
      await gate.entered()
      let waiting = Task { try await database.write { _ = try $0.execute("INSERT INTO counter (n) VALUES (1)") } }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      gate.open()
      try await blocker
      #expect(try await count(database) == 0)
    }
  }

  @Test("more waiting writes than the limit are refused", arguments: TestEngine.available)
  func overload(_ engine: TestEngine) async throws {
    try await withCounter(engine, queueLimit: 5) { database in
      let gate = Gate()
      async let blocker: Void = database.write { _ in gate.wait() }
      await gate.entered()
      let refused = await withTaskGroup(of: StorageError.Code?.self) { group in
        for n in 0..<8 {
          group.addTask {
            do {
              try await database.write { _ = try $0.execute("INSERT INTO counter (n) VALUES (\(n))") }
              return nil
            } catch { return (error as? StorageError)?.code }
          }
        }
        // The refused writes return while the others still wait.
        var codes: [StorageError.Code?] = []
        while codes.count < 3, let code = await group.next() { codes.append(code) }
        gate.open()
        for await code in group { codes.append(code) }
        return codes.filter { $0 == .overloaded }.count
      }
      try await blocker
      #expect(refused == 3)
      #expect(try await count(database) == 5)
    }
  }

  @Test("a read sees one snapshot while others write", arguments: TestEngine.available)
  func snapshot(_ engine: TestEngine) async throws {
    try await withCounter(engine) { database in
      let gate = Gate()
      async let counts = database.read { transaction in
        let count: SQL = "SELECT count(*) AS x FROM counter"
        let before = try transaction.first(count) { try $0.get("x", as: Int.self) }
        gate.wait()
        return [before, try transaction.first(count) { try $0.get("x", as: Int.self) }]
      }
      await gate.entered()
      try await database.write { _ = try $0.execute("INSERT INTO counter (n) VALUES (1)") }
      gate.open()
      #expect(try await counts == [0, 0])
      #expect(try await count(database) == 1)
    }
  }

  @Test("a closed database refuses work, and until then a ping succeeds", arguments: TestEngine.available)
  func closing(_ engine: TestEngine) async throws {
    try await withCounter(engine) { database in
      try await database.ping()
      await database.close()
      let error = await #expect(throws: StorageError.self) { try await database.ping() }
      #expect(error?.code == .closed)
    }
  }

  @Test("a database in memory is shared by its readers")
  func memory() async throws {
    let database = try await Database(DatabaseConfiguration(.sqliteTemporary), logger: .init(label: "test"))
    try await database.migrate([Self.schema])
    try await database.write { _ = try $0.execute("INSERT INTO counter (n) VALUES (1)") }
    #expect(try await count(database) == 1)
    await database.close()
  }
}
