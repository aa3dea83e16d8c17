import Logging
import Storage
import Support
import Testing

/// Programs of different versions on one database.
@Suite(.timeLimit(.minutes(5))) struct RollingUpgradeTests {
  private let first = Migration(version: 1, name: "a", sql: "CREATE TABLE a (t BIGINT)")
  private let additive = Migration(version: 2, name: "b", sql: "-- additive\nALTER TABLE a ADD COLUMN more BIGINT")
  private let other = Migration(version: 3, name: "c", sql: "ALTER TABLE a RENAME COLUMN t TO u")

  private func withTwo(
    _ engine: TestEngine, _ body: (_ older: Database, _ newer: Database) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      (configuration.readers, configuration.waitLimit) = (1, .seconds(20))
      let logger = Logger(label: "test")
      try await closing(try await Database(configuration, logger: logger)) { older in
        try await closing(try await Database(configuration, logger: logger)) { try await body(older, $0) }
      }
    }
  }

  @Test("an older program continues, and starts again, after an additive migration", arguments: TestEngine.available)
  func rolls(_ engine: TestEngine) async throws {
    try await withTwo(engine) { older, newer in
      try await older.migrate([first])
      try await newer.migrate([first, additive])
      try await older.write { _ = try $0.execute("INSERT INTO a (t) VALUES (1)") }
      try await older.migrate([first])
      let state = try await older.pendingMigrations([first])
      #expect(state.version == 2 && state.pending.isEmpty)
    }
  }

  @Test(
    "another migration waits until the older program has ended, which then does not start",
    arguments: TestEngine.available)
  func refuses(_ engine: TestEngine) async throws {
    try await withTwo(engine) { older, newer in
      try await older.migrate([first])
      let all = [first, additive, other]
      let error = await #expect(throws: StorageError.self) { try await newer.migrate(all) }
      #expect(error?.code == .olderProgram)
      #expect(error?.message.contains("stop all other servers") == true)
      #expect(try await newer.pendingMigrations(all).pending.map(\.version) == [3])
      await older.close()
      // PostgreSQL notices the end of a session after a delay.
      let isDone = try await World.eventually {
        do { try await newer.migrate(all) } catch let error as StorageError where error.code == .olderProgram {
          return false
        }
        return true
      }
      #expect(isDone)
      let refused = await #expect(throws: StorageError.self) { try await newer.pendingMigrations([first, additive]) }
      #expect(refused?.code == .newerSchema)
    }
  }

  @Test(
    "an older program that was cut off during a migration beyond it writes nothing more",
    .enabled(if: PostgresServer.url != nil))
  func leftBehind() async throws {
    try await withTwo(.postgres) { older, newer in
      try await older.migrate([first])
      let pid = try await older.write {
        try $0.first("SELECT pg_backend_pid() AS pid") { try $0.get("pid", as: Int.self) }
      }
      try await PostgresServer.administer("SELECT pg_terminate_backend(\(pid)::int, 60000)")
      try await newer.migrate([first, additive, other])
      let error = await #expect(throws: StorageError.self) {
        try await older.write { _ = try $0.execute("INSERT INTO a (u) VALUES (1)") }
      }
      #expect(error?.code == .connectionLost)
      #expect(error?.message.contains("migration 3") == true)
    }
  }

  @Test("pending migrations are reported and not run, also for an empty database", arguments: TestEngine.available)
  func pending(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      for _ in 0..<2 {
        let state = try await database.pendingMigrations([first, additive])
        #expect(state.version == 0 && state.pending.map(\.version) == [1, 2])
      }
      try await database.migrate([first])
      #expect(try await database.pendingMigrations([first, additive]).pending.map(\.version) == [2])
    }
  }

  @Test(
    "a database older than additive migrations gets their column with the next one", arguments: TestEngine.available)
  func before(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([first])
      try await database.write { _ = try $0.execute("ALTER TABLE schema_migrations DROP COLUMN additive") }
      #expect(try await database.pendingMigrations([first]).pending.isEmpty)
      try await database.migrate([first, additive])
      try await database.migrate([first])
    }
  }
}
