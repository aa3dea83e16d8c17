import Storage
import Support
import Testing

/// The cost of a refused write for the others of its batch, counted.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
  struct Refusal: Error {}

  private static let batch = 64
  private static let schema = Migration(
    version: 1, name: "t",
    sql: """
      CREATE TABLE t (n BIGINT NOT NULL UNIQUE); CREATE TABLE numbered (id {{identity}}, n BIGINT);
      CREATE TABLE total (n BIGINT); INSERT INTO total VALUES (0)
      """)

  /// Runs 64 writes in one batch, in an empty table. Each gets its place among them; on a second run the same.
  private func withBatch(
    _ engine: TestEngine, _ body: @escaping @Sendable (_ place: Int, Transaction) throws -> Void,
    check: (Database, _ runs: Int, _ failures: [any Error]) async throws -> Void
  ) async throws {
    try await withDatabase(engine, \.writeQueueLimit, Self.batch) { database in
      try await database.migrate([Self.schema])
      let (before, gate) = (database.writeCounts.commits, Gate())
      let (runs, failures) = (Log<Int>(), Log<any Error>())
      async let blocker: Void = database.write { _ in gate.wait() }
      await gate.entered()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0...Self.batch {
          group.addTask {
            let error = await failure {
              try await database.write { transaction in
                runs.append(0)
                try body((runs.all.count - 1) % Self.batch, transaction)
              }
            }
            if let error { failures.append(error) }
          }
        }
        // One write beyond the limit: when it returns, all others wait.
        await group.next()
        #expect(failures.all.count == 1)
        gate.open()
      }
      try await blocker
      #expect(database.writeCounts.commits == before + 1)
      try await check(database, runs.all.count, Array(failures.all.dropFirst()))
    }
  }

  private func rows(_ database: Database) async throws -> Int? {
    try await database.read { try $0.first("SELECT count(*) AS x FROM t") { try $0.get("x") } }
  }

  @Test("a write that is refused before it changes anything leaves its batch alone", arguments: TestEngine.available)
  func early(_ engine: TestEngine) async throws {
    try await withBatch(engine) { place, transaction in
      if place % 8 == 3 {
        _ = try transaction.first("UPDATE total SET n = 1 WHERE n = 7 RETURNING n") { try $0.get("n", as: Int.self) }
        throw Refusal()
      }
      try transaction.execute("INSERT INTO t (n) VALUES (\(place))")
    } check: { database, runs, failures in
      #expect(failures.count == 8 && failures.allSatisfy { $0 is Refusal })
      #expect(runs == Self.batch)
      #expect(database.writeCounts.reruns == 0)
      let rows = try await rows(database)
      #expect(rows == 56)
    }
  }

  @Test(
    "changes of a write that is then refused are undone, at the cost of one rerun",
    arguments: TestEngine.available)
  func late(_ engine: TestEngine) async throws {
    try await withBatch(engine) { place, transaction in
      try transaction.execute("INSERT INTO t (n) VALUES (\(place))")
      if place % 8 == 3 { throw Refusal() }
    } check: { database, runs, failures in
      #expect(failures.count == 8 && failures.allSatisfy { $0 is Refusal })
      #expect(database.writeCounts.reruns == 1)
      let rows = try await rows(database)
      #expect(rows == 56)
    }
  }

  @Test(
    "a change whose answer could not be read is undone", arguments: TestEngine.available,
    [
      (change: "UPDATE total SET n = n + 1 RETURNING n AS id", total: "SELECT n FROM total"),
      (change: "INSERT INTO numbered (n) VALUES (1) \(sql: .returningID)", total: "SELECT count(*) AS n FROM numbered"),
    ] as [(change: SQL, total: SQL)])
  func unread(_ engine: TestEngine, _ statements: (change: SQL, total: SQL)) async throws {
    try await withBatch(engine) { place, transaction in
      _ = try transaction.first(statements.change) { row in
        if place == 3 { throw Refusal() }
        return try row.get("id", as: Int.self)
      }
    } check: { database, _, failures in
      #expect(failures.count == 1)
      let total = try await database.read { try $0.first(statements.total) { try $0.get("n", as: Int.self) } }
      #expect(total == 63)
    }
  }

  @Test(
    "a statement that the engine refuses costs a rerun if it fails the transaction", arguments: TestEngine.available
  )
  func violation(_ engine: TestEngine) async throws {
    try await withBatch(engine) { place, transaction in
      try transaction.execute("INSERT INTO t (n) VALUES (\(place == 40 ? 0 : place))")
    } check: { database, runs, failures in
      #expect(failures.count == 1 && (failures.first as? StorageError)?.code == .unique)
      #expect(database.writeCounts.reruns == (engine == .postgres ? 1 : 0))
      let rows = try await rows(database)
      #expect(rows == 63)
    }
  }

  @Test("a write without changes is not committed, but announced", arguments: TestEngine.available)
  func nothing(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema])
      let (before, announced) = (database.writeCounts.commits, Log<Int>())
      await #expect(throws: Refusal.self) { try await database.write { _ in throw Refusal() } }
      await #expect(throws: Refusal.self) {
        try await database.write { transaction in
          try transaction.execute("INSERT INTO t (n) VALUES (1)")
          throw Refusal()
        }
      }
      try await database.write { transaction in
        try transaction.execute("DELETE FROM t")
        try transaction.execute("INSERT INTO t (n) SELECT 1 FROM total WHERE n = 7 ON CONFLICT DO NOTHING")
        transaction.afterCommit { announced.append(1) }
      }
      #expect(announced.all == [1])
      #expect(database.writeCounts.commits == before)
      #expect(try await rows(database) == 0)
    }
  }

  @Test("a changed schema and a ping are committed, although they count no rows", arguments: TestEngine.available)
  func unseen(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.write { _ = try $0.execute("CREATE TABLE made (n BIGINT)") }
      #expect(database.writeCounts.commits == 1)
      try await database.ping()
      // One commit by each writer.
      #expect(database.writeCounts.commits == (engine == .postgres ? 3 : 2))
      #expect(try await database.write { try $0.execute("INSERT INTO made (n) VALUES (1), (2)") } == 2)
    }
  }

  @Test("a write returns how many rows it changed even if it read only one", arguments: TestEngine.available)
  func partlyRead(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema])
      let first = try await database.write {
        try $0.first("INSERT INTO t (n) VALUES (1), (2), (3) RETURNING n") { try $0.get("n", as: Int.self) }
      }
      #expect(first == 1)
      #expect(try await rows(database) == 3)
    }
  }
}
