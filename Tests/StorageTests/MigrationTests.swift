import Logging
import Storage
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct MigrationTests {
  private let first = Migration(
    version: 1, name: "a", sql: "CREATE TABLE a (id {{identity}}, t TEXT); CREATE INDEX i ON a (t)")
  private let second = Migration(version: 2, name: "b", sql: "ALTER TABLE a ADD COLUMN more BIGINT")

  @Test("migrations run once, in order, and ids count up", arguments: TestEngine.available)
  func once(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([second, first])
      try await database.migrate([first, second])
      let ids = try await database.write { transaction in
        try (0..<2).map { _ in
          try transaction.first("INSERT INTO a (more) VALUES (1) RETURNING id") { try $0.get("id", as: Int.self) }
        }
      }
      #expect(ids == [1, 2])
    }
  }

  @Test("a changed text and a newer database are refused", arguments: TestEngine.available)
  func refuses(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([first, second])
      let changed = await #expect(throws: StorageError.self) {
        try await database.migrate([Migration(version: 1, name: "a", sql: "CREATE TABLE z (t TEXT)"), second])
      }
      #expect(changed?.code == .changedMigration)
      let newer = await #expect(throws: StorageError.self) { try await database.migrate([first]) }
      #expect(newer?.code == .newerSchema)
      #expect(newer?.message.contains("2") == true)
    }
  }

  @Test("a migration that fails halfway leaves no changes", arguments: TestEngine.available)
  func atomic(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      let broken = Migration(version: 2, name: "broken", sql: "CREATE TABLE half (t TEXT); SELEKT")
      await #expect(throws: StorageError.self) { try await database.migrate([first, broken]) }
      let fixed = Migration(version: 2, name: "fixed", sql: "CREATE TABLE half (t TEXT)")
      try await database.migrate([first, fixed])
    }
  }

  @Test("two programs may migrate the same database at once", arguments: TestEngine.available)
  func concurrent(_ engine: TestEngine) async throws {
    try await withEngine(engine) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      configuration.readers = 1
      let logger = Logger(label: "test")
      let databases = [
        try await Database(configuration, logger: logger), try await Database(configuration, logger: logger),
      ]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for database in databases { group.addTask { try await database.migrate([first, second]) } }
        try await group.waitForAll()
      }
      for database in databases { await database.close() }
    }
  }
}
