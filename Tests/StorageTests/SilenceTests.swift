import Foundation
import Logging
import Storage
import Support
import Testing

/// A PostgreSQL that keeps its connections and does not answer: its processes are suspended, as by a volume or a machine that hangs.
@Suite(
  .enabled(if: PostgresServer.url.flatMap { URL(string: $0) }?.host == "127.0.0.1", "no PostgreSQL on this machine"),
  .timeLimit(.minutes(5)))
struct SilenceTests {
  private static let schema = Migration(version: 1, name: "t", sql: "CREATE TABLE t (n BIGINT NOT NULL)")

  private static func backend(_ transaction: Transaction) throws -> Int32 {
    try transaction.first("SELECT pg_backend_pid() AS pid") { Int32(try $0.get("pid", as: Int.self)) } ?? 0
  }

  /// With one reader and one writer, which wait 30 s for answers and for COMMIT: a busy machine pauses less.
  /// - Parameter connectTimeout: Also how long the connection for notifications waits for each answer.
  private func withImpatient(
    named name: String = "madang", port: Int? = nil, connectTimeout: Duration = longWait,
    _ body: (Database) async throws -> Void
  ) async throws {
    try await withEngine(.postgres) { place in
      guard case .postgres(let url) = place, var address = URLComponents(string: url) else { return }
      if let port { address.port = port }
      address.percentEncodedQueryItems?.append(URLQueryItem(name: "application_name", value: name))
      var configuration = DatabaseConfiguration.forTests(.postgres(url: try #require(address.string)))
      (configuration.readers, configuration.writers) = (1, 1)
      (configuration.statementTimeout, configuration.answerGrace) = (.seconds(25), .seconds(5))
      (configuration.commitTimeout, configuration.commitCheckInterval) = (.seconds(30), .milliseconds(100))
      (configuration.connectTimeout, configuration.listenerCheckInterval) = (connectTimeout, .milliseconds(100))
      // A backend that was suspended for long must still accept COMMIT.
      configuration.idleTransactionTimeout = longWait * 4
      try await closing(try await Database(configuration, logger: Logger(label: "test"))) { database in
        try await database.migrate([Self.schema])
        try await body(database)
      }
    }
  }

  private func rows(_ database: Database) async throws -> [Int] {
    try await database.read { try $0.all("SELECT n FROM t ORDER BY n") { try $0.get("n", as: Int.self) } }
  }

  /// Suspends the backend of the first run at a place in the body, and resumes it at the end, because it holds locks.
  private func stopping(
    _ body: (_ stop: @escaping @Sendable (Int32) -> Void, Log<Int32>) async throws -> Void
  ) async throws {
    let backends = Log<Int32>()
    defer { for backend in backends.all.prefix(1) { kill(backend, SIGCONT) } }
    try await body(
      { backend in
        if backends.all.isEmpty { kill(backend, SIGSTOP) }
        backends.append(backend)
      }, backends)
  }

  @Test("a read whose server becomes silent is repeated over a new connection")
  func read() async throws {
    try await withImpatient { (database) async throws in
      try await stopping { (stop, backends) async throws in
        let answer = try await database.read { transaction in
          stop(try Self.backend(transaction))
          return try transaction.first("SELECT 7 AS x") { try $0.get("x", as: Int.self) }
        }
        #expect(answer == 7)
        #expect(Set(backends.all).count >= 2)
      }
    }
  }

  @Test("a write whose server becomes silent before COMMIT is repeated, and counts once")
  func write() async throws {
    try await withImpatient { (database) async throws in
      try await stopping { (stop, backends) async throws in
        try await database.write { transaction in
          stop(try Self.backend(transaction))
          try transaction.execute("INSERT INTO t (n) VALUES (1)")
        }
        #expect(Set(backends.all).count >= 2)
      }
      #expect(try await rows(database) == [1])
    }
  }

  @Test("a COMMIT not answered in time has an unknown outcome; its writer keeps the session, and refuses others")
  func commit() async throws {
    try await withImpatient { (database) async throws in
      try await stopping { (stop, backends) async throws in
        let write: @Sendable (Int) async -> StorageError.Code? = { n in
          await failure(of: {
            try await database.write { transaction in
              try transaction.execute("INSERT INTO t (n) VALUES (\(n))")
              stop(try Self.backend(transaction))
            }
          }).map { ($0 as? StorageError)?.code ?? .other }
        }
        #expect(await write(1) == .outcomeUnknown)
        for n in 2..<6 { #expect(await write(n) == .connectionLost) }
        #expect(await failure(of: { try await database.ping() }) is StorageError)
        #expect(backends.all.count == 1)
        #expect(try await rows(database) == [])
        kill(backends.all[0], SIGCONT)
        #expect(try await World.eventually { await write(6) == nil })
        #expect(Set(backends.all).count == 1)
      }
      #expect(try await rows(database) == [1, 6])
    }
  }

  @Test("the wait for a COMMIT ends when the server that accepts writes does not know of it")
  func leftBehind() async throws {
    let url = try #require(PostgresServer.url)
    try await DatabaseRelay.run(to: url) { relayed, relay in
      let port = try #require(URLComponents(string: relayed)?.port)
      try await withImpatient(port: port) { (database) async throws in
        let backend = try await database.write { try Self.backend($0) }
        relay.loseCommit(of: "silent-commit", breaking: false)
        let error = await failure(of: {
          try await database.write {
            _ = try $0.execute("INSERT INTO t (n) SELECT 1 WHERE 'x' <> \("silent-commit")")
          }
        })
        #expect((error as? StorageError)?.code == .outcomeUnknown)
        // As if another server had taken over.
        try await PostgresServer.administer("SELECT pg_terminate_backend(\(Int(backend))::int, 60000)")
        #expect(
          try await World.eventually {
            await failure(of: {
              try await database.write { _ = try $0.execute("INSERT INTO t (n) VALUES (2)") }
            }) == nil
          })
        #expect(try await rows(database) == [1, 2])
      }
    }
  }

  @Test("a database closes although a COMMIT is not answered")
  func closes() async throws {
    try await withImpatient { (database) async throws in
      try await stopping { (stop, _) async throws in
        let error = await failure(of: {
          try await database.write { transaction in
            try transaction.execute("INSERT INTO t (n) VALUES (1)")
            stop(try Self.backend(transaction))
          }
        })
        #expect((error as? StorageError)?.code == .outcomeUnknown)
        await database.close()
      }
    }
  }

  @Test("a channel whose server becomes silent listens over a new connection")
  func listening() async throws {
    let name = "listening_\(UInt64.random(in: .min ... .max))"
    try await withImpatient(named: name, connectTimeout: .seconds(30)) { (database) async throws in
      let channel = try #require(try database.makeNotificationChannel(name))
      var events = channel.events.makeAsyncIterator()
      #expect(await events.next() == .connected)
      let writer = try await database.write { try Self.backend($0) }
      try await stopping { (stop, _) async throws in
        let listener = try await database.read { transaction in
          try transaction.first(
            """
            SELECT pid FROM pg_stat_activity
            WHERE application_name = \(name) AND pid <> pg_backend_pid() AND pid <> \(Int(writer))
            """
          ) { Int32(try $0.get("pid", as: Int.self)) }
        }
        stop(try #require(listener))
        #expect(await events.next() == .connected)
      }
      await channel.close()
    }
  }
}
