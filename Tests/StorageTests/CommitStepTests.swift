import Logging
import Storage
import Support
import Testing

@Suite("Steps before COMMIT", .timeLimit(.minutes(5)))
struct CommitStepTests {
  private static let schema = Migration(
    version: 1, name: "t",
    sql: """
      CREATE TABLE things (n BIGINT NOT NULL);
      CREATE TABLE sums (k BIGINT NOT NULL PRIMARY KEY, total BIGINT NOT NULL);
      INSERT INTO sums (k, total) VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0);
      """)

  private struct TooMuch: Error {}

  private static func totals(_ database: Database) async throws -> [Int] {
    try await database.read { try $0.all("SELECT total FROM sums ORDER BY k") { try $0.get("total") } }
  }

  @Test(
    "a step before COMMIT runs after all bodies of a batch, in the order of rows, and receives the sum of later steps for its row",
    arguments: TestEngine.available)
  func order(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema])
      let (gate, steps) = (Gate(), Log<String>())
      async let blocker: Void = database.write(key: 1) { _ in gate.wait() }
      await gate.entered()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in [3, 1, 2, 1] {
          group.addTask {
            try await database.write(key: 1) { transaction in
              try transaction.execute("INSERT INTO things (n) VALUES (\(number))")
              transaction.beforeCommit(changing: SharedRow(kind: "sum", number: Int64(number)), adding: 5) {
                let there = try $0.first("SELECT COUNT(*) AS number FROM things") { try $0.get("number", as: Int.self) }
                steps.append("\(number): \(there ?? 0) there, \($1) to come")
                try $0.execute("UPDATE sums SET total = total + 5 WHERE k = \(number)")
              }
            }
          }
        }
        while database.waiting.writes < 4 { await Task.yield() }
        gate.open()
        try await group.waitForAll()
      }
      try await blocker
      let expected = ["1: 4 there, 5 to come", "1: 4 there, 0 to come", "2: 4 there, 0 to come"]
      #expect(steps.all == expected + ["3: 4 there, 0 to come"])
      #expect(try await Self.totals(database) == [0, 10, 5, 5, 0, 0, 0, 0])
    }
  }

  @Test(
    "a write that its step before COMMIT refuses leaves nothing and announces nothing; the rest of its batch is committed",
    arguments: TestEngine.available)
  func refused(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema])
      let (gate, announced, attempts) = (Gate(), Log<Int>(), Log<Void>())
      async let blocker: Void = database.write(key: 1) { _ in gate.wait() }
      await gate.entered()
      let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
        for n in 0..<10 {
          group.addTask {
            let error = await failure {
              try await database.write(key: 1) { transaction in
                attempts.append(())
                try transaction.execute("INSERT INTO things (n) VALUES (\(n))")
                transaction.afterCommit { announced.append(n) }
                transaction.beforeCommit(changing: SharedRow(kind: "sum", number: 0), adding: 1) { transaction, _ in
                  let total = try transaction.first(
                    "UPDATE sums SET total = total + 1 WHERE k = 0 RETURNING total"
                  ) { try $0.get("total", as: Int.self) }
                  if total ?? 0 > 4 { throw TooMuch() }
                }
              }
            }
            #expect(error == nil || error is TooMuch)
            return error != nil
          }
        }
        while database.waiting.writes < 10 { await Task.yield() }
        gate.open()
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      try await blocker
      #expect(refused == 6)
      // The whole batch must not run again for each of them.
      #expect(attempts.all.count <= 20)
      #expect(try await Self.totals(database)[0] == 4)
      let things: [Int] = try await database.read { try $0.all("SELECT n FROM things") { try $0.get("n") } }
      #expect(things.sorted() == announced.all.sorted() && things.count == 4)
    }
  }

  @Test(
    "batches of two servers that change the same rows in opposite orders never have to run again",
    .enabled(if: PostgresServer.url != nil))
  func opposite() async throws {
    try await withEngine(.postgres) { place in
      try await opening(place) { one in
        try await opening(place) { other in
          try await one.migrate([Self.schema])
          let (databases, attempts, rounds) = ([one, other], Log<Void>(), 20)
          for _ in 0..<rounds {
            let gates = [Gate(), Gate()]
            try await withThrowingTaskGroup(of: Void.self) { group in
              for (index, database) in databases.enumerated() {
                group.addTask { try await database.write { _ in gates[index].wait() } }
                await gates[index].entered()
                for place in 0..<8 {
                  let first = index == 0 ? place : 7 - place
                  group.addTask {
                    try await database.write { transaction in
                      attempts.append(())
                      for k in [first, 7 - first] {
                        transaction.beforeCommit(changing: SharedRow(kind: "sum", number: Int64(k))) { transaction, _ in
                          try transaction.execute("UPDATE sums SET total = total + 1 WHERE k = \(k)")
                        }
                      }
                    }
                  }
                }
              }
              for (gate, database) in zip(gates, databases) {
                while database.waiting.writes < 8 { await Task.yield() }
                gate.open()
              }
              try await group.waitForAll()
            }
          }
          #expect(try await Self.totals(one) == Array(repeating: 4 * rounds, count: 8))
          #expect(attempts.all.count == 16 * rounds)
        }
      }
    }
  }
}
