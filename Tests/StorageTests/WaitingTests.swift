import Foundation
import Logging
import Storage
import Support
import Testing

/// Operations that wait too long.
@Suite(.timeLimit(.minutes(5))) struct WaitingTests {
  private static let limit = Duration.seconds(10)
  private static let schema = Migration(version: 1, name: "t", sql: "CREATE TABLE t (n BIGINT NOT NULL)")

  /// Runs the body with a database that has the table, and in which nothing waits longer than the limit.
  private func withImpatient(_ engine: TestEngine, _ body: (Database) async throws -> Void) async throws {
    try await withEngine(engine) { place in
      try await opening(place) { try await $0.migrate([Self.schema]) }
      var configuration = DatabaseConfiguration.forTests(place)
      (configuration.readers, configuration.writers, configuration.waitLimit) = (2, 2, Self.limit)
      configuration.idleTransactionTimeout = longWait
      try await closing(try await Database(configuration, logger: Logger(label: "test")), body)
    }
  }

  private func insert(_ n: Int, _ database: Database) async -> StorageError.Code? {
    await failure(of: { try await database.write { _ = try $0.execute("INSERT INTO t (n) VALUES (\(n))") } })
      .map { ($0 as? StorageError)?.code ?? .other }
  }

  @Test("a write that waited too long for its turn is refused, and never runs", arguments: TestEngine.available)
  func late(_ engine: TestEngine) async throws {
    try await withImpatient(engine) { database in
      let gate = Gate()
      // It has begun, and may take any time.
      async let blocker: Void = database.write { transaction in
        try transaction.execute("INSERT INTO t (n) VALUES (0)")
        gate.wait()
      }
      await gate.entered()
      async let waiting = insert(1, database)
      try await Task.sleep(for: Self.limit * 2)
      // The writer has been busy for so long that its queue accepts nothing.
      #expect(await insert(2, database) == .connectionLost)
      gate.open()
      try await blocker
      #expect(await waiting == .connectionLost)
      #expect(await insert(3, database) == nil)
      let rows = try await database.read { try $0.all("SELECT n FROM t ORDER BY n") { try $0.get("n", as: Int.self) } }
      #expect(rows == [0, 3])
    }
  }

  @Test("a caller may write again at once after a write that took long", arguments: TestEngine.available)
  func again(_ engine: TestEngine) async throws {
    try await withImpatient(engine) { database in
      for round in 0..<3 {
        try await database.write { transaction in
          try transaction.execute("INSERT INTO t (n) VALUES (\(round))")
          let end = ContinuousClock.now + Self.limit
          while .now <= end {
            _ = try transaction.execute("DELETE FROM t WHERE n < 0")
            usleep(10_000)
          }
        }
      }
    }
  }

  @Test("a read that waited too long for a thread is refused", arguments: TestEngine.available)
  func reads(_ engine: TestEngine) async throws {
    try await withImpatient(engine) { database in
      let gates = [Gate(), Gate()]
      async let first: Void = database.read { _ in gates[0].wait() }
      async let second: Void = database.read { _ in gates[1].wait() }
      for gate in gates { await gate.entered() }
      async let waiting = failure(of: {
        try await database.read { _ = try $0.execute("SELECT 1") }
      })
      while database.waiting.reads == 0 { await Task.yield() }
      try await Task.sleep(for: Self.limit * 1.5)
      for gate in gates { gate.open() }
      _ = try await (first, second)
      #expect((await waiting as? StorageError)?.code == .connectionLost)
      try await database.read { _ = try $0.execute("SELECT 1") }
    }
  }
}
