import Logging
import Storage
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct AdvisoryLockTests {
  @Test("one of two processes holds a lock until it ends, and the other may hold another lock")
  func exclusive() async throws {
    guard TestEngine.available.contains(.postgres) else { return }
    try await withEngine(.postgres) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      configuration.readers = 1
      let logger = Logger(label: "test")
      let (first, second) = (
        try await Database(configuration, logger: logger), try await Database(configuration, logger: logger)
      )
      #expect(try await first.tryAdvisoryLock("housekeeping"))
      #expect(try await first.tryAdvisoryLock("housekeeping"))
      #expect(try await !second.tryAdvisoryLock("housekeeping"))
      #expect(try await second.tryAdvisoryLock("push"))
      #expect(try await !first.tryAdvisoryLock("push"))
      await first.close()
      // The server notices the end of a session after a delay.
      #expect(try await World.eventually { try await second.tryAdvisoryLock("housekeeping") })
      await second.close()
    }
  }

  @Test("a lock is lost with its connection, and the next process that asks gets it")
  func lost() async throws {
    guard TestEngine.available.contains(.postgres) else { return }
    try await withEngine(.postgres) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      configuration.readers = 1
      let logger = Logger(label: "test")
      let (first, second) = (
        try await Database(configuration, logger: logger), try await Database(configuration, logger: logger)
      )
      #expect(try await first.tryAdvisoryLock("housekeeping"))
      try await second.write { transaction in
        _ = try transaction.execute(
          """
          SELECT pg_terminate_backend(pid, 60000) FROM pg_locks
          WHERE locktype = 'advisory' AND objid = hashtext('housekeeping')::oid AND pid <> pg_backend_pid()
            AND classid = hashtext('madang locks of ' || current_schema())::oid
          """)
      }
      #expect(try await second.tryAdvisoryLock("housekeeping"))
      #expect(try await !first.tryAdvisoryLock("housekeeping"))
      for database in [first, second] { await database.close() }
    }
  }

  private static func endSessions(goingBy name: String, in transaction: Transaction) throws {
    _ = try transaction.execute(
      """
      SELECT pg_terminate_backend(pid, 60000) FROM pg_locks
      WHERE locktype = 'advisory' AND classid = hashtext('madang value of ' || \(name) || ' in ' || current_schema())::oid
      """)
  }

  @Test("other programs see the value that a program uses until it ends, also after its connections were lost")
  func values() async throws {
    guard TestEngine.available.contains(.postgres) else { return }
    try await withEngine(.postgres) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      (configuration.readers, configuration.writers) = (1, 2)
      let logger = Logger(label: "test")
      let (first, second) = (
        try await Database(configuration, logger: logger), try await Database(configuration, logger: logger)
      )
      func isContested(_ database: Database, _ value: String?) async throws -> Bool {
        try await database.write(goingBy: value, for: "key") { $1 }
      }
      for database in [first, second] { try await database.migrate([]) }
      #expect(try await !isContested(first, nil))
      #expect(try await !isContested(first, "a"))
      #expect(try await !isContested(second, "a"))
      await #expect(throws: CancellationError.self) {
        try await second.write(goingBy: "b", for: "key") { _, isContested in
          if isContested { throw CancellationError() }
        }
      }
      await second.close()
      // A body that threw has claimed nothing. The server notices the end of a session after a delay.
      #expect(try await World.eventually { try await !isContested(first, "a") })
      let third = try await Database(configuration, logger: logger)
      try await third.write { try Self.endSessions(goingBy: "key", in: $0) }
      #expect(try await !isContested(third, nil))
      try await first.ping()
      #expect(try await isContested(third, nil))
      await first.close()
      #expect(try await World.eventually { try await !isContested(third, nil) })
      await third.close()
    }
  }

  @Test("a program that was cut off while the value was changed writes nothing more, and says why")
  func changedMeanwhile() async throws {
    guard TestEngine.available.contains(.postgres) else { return }
    try await withEngine(.postgres) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      (configuration.readers, configuration.writers, configuration.waitLimit) = (1, 1, .seconds(20))
      let logger = Logger(label: "test")
      let (database, other) = (
        try await Database(configuration, logger: logger), try await Database(configuration, logger: logger)
      )
      try await database.migrate([Migration(version: 1, name: "t", sql: "CREATE TABLE t (value TEXT NOT NULL)")])
      let stands: @Sendable (Transaction, Void) throws -> Bool = { transaction, _ in
        try transaction.first("SELECT value FROM t") { try $0.get("value", as: String.self) } == "a"
      }
      try await database.write(goingBy: "a", for: "key", while: stands) { transaction, _ in
        _ = try transaction.execute("INSERT INTO t (value) VALUES ('a')")
      }
      func cutOff(_ value: String) async throws {
        try await other.write { transaction in
          try transaction.execute("UPDATE t SET value = \(value)")
          try Self.endSessions(goingBy: "key", in: transaction)
        }
      }
      try await cutOff("a")
      try await database.write { _ = try $0.execute("UPDATE t SET value = 'a'") }
      try await cutOff("b")
      let refused = await #expect(throws: StorageError.self) {
        try await database.write { _ = try $0.execute("UPDATE t SET value = 'a'") }
      }
      #expect(refused?.message.contains("the key of the database has changed") ?? false)
      for database in [database, other] { await database.close() }
    }
  }

  @Test("on SQLite the only process has every lock")
  func embedded() async throws {
    try await withDatabase(.sqlite) { database in
      let isHeld = try await database.tryAdvisoryLock("housekeeping")
      #expect(isHeld)
    }
  }
}
