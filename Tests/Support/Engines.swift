import Foundation
import Logging
import Storage

/// The engines for a test: `@Test(arguments: TestEngine.available)`.
package enum TestEngine: String, CaseIterable, Sendable {
  case sqlite
  case postgres

  /// Includes PostgreSQL if `MADANG_TEST_POSTGRES` has the URL of a server (see `Scripts/with-postgres`).
  package static var available: [TestEngine] {
    PostgresServer.url == nil ? [.sqlite] : allCases
  }
}

/// Runs the body with an empty database, which is removed afterwards. Parallel tests use separate databases.
package func withDatabase<Result>(
  _ engine: TestEngine, _ body: (Database) async throws -> Result
) async throws -> Result {
  try await withDatabase(engine, \.readers, 2, body)
}

/// How long a call waits for the database. On a busy machine it takes a while until all calls of a test are waiting; the one that
/// they wait for must not count as stuck before.
package let longWait = Duration.seconds(60)

extension DatabaseConfiguration {
  /// With limits on waiting that a busy machine does not reach.
  package static func forTests(_ engine: Engine) -> DatabaseConfiguration {
    var configuration = DatabaseConfiguration(engine)
    (configuration.waitLimit, configuration.connectTimeout) = (longWait, longWait)
    (configuration.lockTimeout, configuration.busyTimeout) = (longWait, longWait)
    (configuration.commitTimeout, configuration.answerGrace) = (longWait, longWait)
    return configuration
  }
}

/// Like ``withDatabase(_:_:)`` with one setting changed: `withDatabase(engine, \.batchLimit, 1) { ... }`.
package func withDatabase<Value, Result>(
  _ engine: TestEngine, _ setting: WritableKeyPath<DatabaseConfiguration, Value>, _ value: Value,
  _ body: (Database) async throws -> Result
) async throws -> Result {
  try await withEngine(engine) { place in
    var configuration = DatabaseConfiguration.forTests(place)
    // Few connections, because many tests share one server.
    (configuration.readers, configuration.writers) = (2, 2)
    configuration[keyPath: setting] = value
    let database = try await Database(configuration, logger: Logger(label: "test"))
    return try await closing(database, body)
  }
}

/// Runs the body with an existing database, which is kept.
package func opening<Result>(
  _ place: DatabaseConfiguration.Engine, _ body: (Database) async throws -> Result
) async throws -> Result {
  var configuration = DatabaseConfiguration.forTests(place)
  (configuration.readers, configuration.writers) = (1, 1)
  return try await closing(try await Database(configuration, logger: Logger(label: "test")), body)
}

/// Runs the body with the configuration of an empty database, for tests that open it themselves or twice.
package func withEngine<Result>(
  _ engine: TestEngine, _ body: (DatabaseConfiguration.Engine) async throws -> Result
) async throws -> Result {
  switch engine {
  case .sqlite:
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("madang-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(.sqlite(path: folder.appendingPathComponent("test.sqlite").path))
  case .postgres:
    return try await PostgresServer.withSchema(body)
  }
}

/// Closes the database after the body in any case.
package func closing<Result>(_ database: Database, _ body: (Database) async throws -> Result) async throws -> Result {
  do {
    let result = try await body(database)
    await database.close()
    return result
  } catch {
    await database.close()
    throw error
  }
}
