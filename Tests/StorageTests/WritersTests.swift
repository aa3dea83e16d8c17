import Logging
import Storage
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct WritersTests {
  private static let schema = Migration(
    version: 1, name: "t",
    sql: """
      CREATE TABLE t (k BIGINT NOT NULL PRIMARY KEY, hits BIGINT NOT NULL);
      INSERT INTO t (k, hits) VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0);
      """)

  @Test("writes of one key follow each other, and so do their announcements", arguments: TestEngine.available)
  func order(_ engine: TestEngine) async throws {
    try await withDatabase(engine, \.writers, 3) { database in
      try await database.migrate([Self.schema])
      let announced = (0..<8).map { _ in Log<Int>() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for n in 0..<240 {
          let key = n % 8
          group.addTask {
            try await database.write(key: Int64(key)) { transaction in
              let hits = try transaction.first("UPDATE t SET hits = hits + 1 WHERE k = \(key) RETURNING hits") {
                try $0.get("hits", as: Int.self)
              }
              transaction.afterCommit { announced[key].append(hits ?? 0) }
            }
          }
        }
        try await group.waitForAll()
      }
      for log in announced { #expect(log.all == Array(1...30)) }
    }
  }

  @Test("a write that takes long does not delay those of other keys", .enabled(if: PostgresServer.url != nil))
  func beside() async throws {
    try await withDatabase(.postgres, \.writers, 4) { database in
      try await database.migrate([Self.schema])
      let gate = Gate()
      async let slow: Void = database.write(key: 0) { transaction in
        try transaction.execute("UPDATE t SET hits = 1 WHERE k = 0")
        gate.wait()
      }
      await gate.entered()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for key in 1..<8 {
          group.addTask {
            try await database.write(key: Int64(key)) { _ = try $0.execute("UPDATE t SET hits = 1 WHERE k = \(key)") }
          }
        }
        // Some of eight keys have another writer than the first of them.
        _ = try await group.next()
        gate.open()
        try await group.waitForAll()
      }
      try await slow
    }
  }

  @Test(
    "opposite batches of two servers both succeed, whichever ends the deadlock",
    .enabled(if: PostgresServer.url != nil), arguments: [Duration.milliseconds(30), .seconds(5)])
  func opposite(_ lockTimeout: Duration) async throws {
    try await withEngine(.postgres) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      (configuration.readers, configuration.lockTimeout) = (1, lockTimeout)
      // Most of a short time may pass before a paused machine continues.
      configuration.retryLimit = 200
      let logger = Logger(label: "test")
      let databases = [
        try await Database(configuration, logger: logger), try await Database(configuration, logger: logger),
      ]
      try await databases[0].migrate([Self.schema])
      // PostgreSQL looks for deadlocks only after a second.
      let rounds = lockTimeout < .seconds(1) ? 40 : 6
      for _ in 0..<rounds {
        let gates = [Gate(), Gate()]
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (index, database) in databases.enumerated() {
            group.addTask { try await database.write { _ in gates[index].wait() } }
            await gates[index].entered()
            for place in 0..<8 {
              let key = index == 0 ? place : 7 - place
              group.addTask {
                try await database.write { transaction in
                  try transaction.execute("UPDATE t SET hits = hits + 1 WHERE k = \(key)")
                  try transaction.execute("UPDATE t SET hits = hits + 1 WHERE k = \(7 - key)")
                }
              }
            }
          }
          for gate in gates { gate.open() }
          try await group.waitForAll()
        }
      }
      let hits = try await databases[0].read { try $0.all("SELECT hits FROM t") { try $0.get("hits", as: Int.self) } }
      #expect(hits == Array(repeating: 4 * rounds, count: 8))
      for database in databases { await database.close() }
    }
  }

  @Test(
    "a lock that is never released fails the write in the end, and delays no other",
    .enabled(if: PostgresServer.url != nil))
  func locked() async throws {
    try await withEngine(.postgres) { place in
      var configuration = DatabaseConfiguration.forTests(place)
      (configuration.readers, configuration.lockTimeout) = (1, .milliseconds(20))
      let logger = Logger(label: "test")
      let (database, other) = (
        try await Database(configuration, logger: logger), try await Database(configuration, logger: logger)
      )
      try await database.migrate([Self.schema])
      let gate = Gate()
      async let holder: Void = other.write { transaction in
        try transaction.execute("UPDATE t SET hits = 1 WHERE k = 0")
        gate.wait()
      }
      await gate.entered()
      let failures = await withTaskGroup(of: (any Error)?.self) { group in
        for key in 0..<8 {
          group.addTask {
            await failure(of: {
              try await database.write { _ = try $0.execute("UPDATE t SET hits = 1 WHERE k = \(key)") }
            })
          }
        }
        return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
      }
      #expect(failures.map { ($0 as? StorageError)?.code } == [.serialization])
      gate.open()
      try await holder
      await database.close()
      await other.close()
    }
  }
}
