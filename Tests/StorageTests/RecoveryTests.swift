import Foundation
import Logging
import SocketIOSupport
import Storage
import Support
import Testing

@Suite(.enabled(if: PostgresServer.url != nil), .timeLimit(.minutes(5))) struct RecoveryTests {
  private static let pid: SQL = "SELECT pg_backend_pid() AS pid"
  private let schema = Migration(version: 1, name: "t", sql: "CREATE TABLE t (n BIGINT NOT NULL)")

  private static func backend(_ transaction: Transaction) throws -> Int {
    try transaction.first(pid) { try $0.get("pid", as: Int.self) } ?? 0
  }

  private func kill(_ backend: Int) async throws {
    // Waits, up to a minute, until the backend has ended.
    try await PostgresServer.administer("SELECT pg_terminate_backend(\(backend)::int, 60000)")
  }

  @Test("a connection that is lost between two writes is reopened unnoticed")
  func between() async throws {
    try await withDatabase(.postgres) { database in
      try await database.migrate([schema])
      let before = try await database.write { try Self.backend($0) }
      try await kill(before)
      let after = try await database.write { transaction in
        try transaction.execute("INSERT INTO t (n) VALUES (1)")
        return try Self.backend(transaction)
      }
      #expect(after != before)
    }
  }

  @Test("a write whose connection is lost before COMMIT runs again and counts once")
  func during() async throws {
    try await withDatabase(.postgres) { database in
      try await database.migrate([schema])
      let gate = Gate()
      let backends = Log<Int>()
      async let write: Void = database.write { transaction in
        try transaction.execute("INSERT INTO t (n) VALUES (1)")
        backends.append(try Self.backend(transaction))
        if backends.all.count == 1 { gate.wait() }
        try transaction.execute("INSERT INTO t (n) VALUES (2)")
      }
      await gate.entered()
      try await kill(try #require(backends.all.first))
      gate.open()
      try await write
      #expect(backends.all.count == 2)
      let rows = try await database.read { try $0.all("SELECT n FROM t ORDER BY n") { try $0.get("n", as: Int.self) } }
      #expect(rows == [1, 2])
    }
  }

  @Test("when the answer to COMMIT is lost the write fails and is not repeated")
  func atCommit() async throws {
    try await withDatabase(.postgres) { database in
      try await database.migrate([schema])
      let gate = Gate()
      let backends = Log<Int>()
      async let write: Void = database.write { transaction in
        try transaction.execute("INSERT INTO t (n) VALUES (1)")
        backends.append(try Self.backend(transaction))
        gate.wait()
      }
      await gate.entered()
      try await kill(try #require(backends.all.first))
      gate.open()
      do {
        try await write
        Issue.record("the write must not succeed")
      } catch let error as StorageError {
        #expect(error.code == .outcomeUnknown)
      }
      #expect(backends.all.count == 1)
    }
  }

  @Test("a commit with a warning of PostgreSQL has an unknown outcome, and the log says why")
  func warning() async throws {
    try await withEngine(.postgres) { place in
      let recorder = LogRecorder()
      var configuration = DatabaseConfiguration.forTests(place)
      (configuration.readers, configuration.writers) = (1, 1)
      let database = try await Database(configuration, logger: recorder.logger)
      try await closing(database) { (database) async throws in
        try await database.migrate([schema])
        // Like PostgreSQL when an operator ends its wait for a replica.
        try await database.write { transaction in
          try transaction.execute(
            """
            CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql
            AS 'BEGIN RAISE WARNING ''not replicated''; RETURN NULL; END'
            """)
          try transaction.execute(
            """
            CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW WHEN (NEW.n = 1) EXECUTE FUNCTION warn()
            """)
        }
        let error = await #expect(throws: StorageError.self) {
          try await database.write { _ = try $0.execute("INSERT INTO t (n) VALUES (1)") }
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(recorder.lines.contains { $0.contains("not replicated") })
        try await database.write { _ = try $0.execute("INSERT INTO t (n) VALUES (2)") }
        let rows = try await database.read { transaction in
          try transaction.all("SELECT n FROM t ORDER BY n") { try $0.get("n", as: Int.self) }
        }
        #expect(rows == [1, 2])
      }
    }
  }

  @Test("a read whose connection is lost is repeated on a new one")
  func reading() async throws {
    try await withDatabase(.postgres, \.readers, 1) { database in
      let before = try await database.read { try Self.backend($0) }
      try await kill(before)
      #expect(try await database.read { try Self.backend($0) } != before)
    }
  }

  @Test("a write that loses a deadlock runs again until both count")
  func deadlock() async throws {
    try await withEngine(.postgres) { place in
      let logger = Logger(label: "test")
      var configuration = DatabaseConfiguration.forTests(place)
      configuration.readers = 1
      let databases = [
        try await Database(configuration, logger: logger), try await Database(configuration, logger: logger),
      ]
      try await databases[0].migrate([
        Migration(
          version: 1, name: "t", sql: "CREATE TABLE t (n BIGINT, hits BIGINT); INSERT INTO t VALUES (0, 0), (1, 0)")
      ])
      let gates = [Gate(), Gate()]
      let attempts = Log<Int>()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<2 {
          group.addTask {
            try await databases[index].write { transaction in
              try transaction.execute("UPDATE t SET hits = hits + 1 WHERE n = \(index)")
              let isFirst = !attempts.all.contains(index)
              attempts.append(index)
              if isFirst { gates[index].wait() }
              try transaction.execute("UPDATE t SET hits = hits + 1 WHERE n = \(1 - index)")
            }
          }
        }
        for gate in gates { await gate.entered() }
        for gate in gates { gate.open() }
        try await group.waitForAll()
      }
      let hits = try await databases[0].read { try $0.all("SELECT hits FROM t") { try $0.get("hits", as: Int.self) } }
      #expect(hits == [2, 2])
      // The loser may lock its row again before the winner wakes, and lose once more.
      #expect(attempts.all.count >= 3)
      for database in databases { await database.close() }
    }
  }

  @Test("a missing server is reported in time")
  func unreachable() async throws {
    let error = await #expect(throws: StorageError.self) {
      _ = try await Database(
        DatabaseConfiguration(.postgres(url: "postgres://nobody@127.0.0.1:1/none")), logger: Logger(label: "test"))
    }
    #expect(error?.code == .connectionLost)
  }
}
