import Storage
import Support
import Testing

@Suite("Reads that share a snapshot", .timeLimit(.minutes(5)))
struct ReadBatchTests {
  private struct Refused: Error {}
  private static let schema = Migration(version: 1, name: "t", sql: "CREATE TABLE t (n BIGINT NOT NULL)")

  private static func newest(_ transaction: Transaction) throws -> Int {
    try transaction.first("SELECT COALESCE(MAX(n), 0) AS n FROM t") { try $0.get("n", as: Int.self) } ?? 0
  }

  @Test("each read has its own result, independent of errors of others in its batch", arguments: TestEngine.available)
  func failures(_ engine: TestEngine) async throws {
    try await withDatabase(engine, \.readers, 1) { database in
      try await database.migrate([Self.schema])
      try await database.write { _ = try $0.execute("INSERT INTO t (n) VALUES (7)") }
      let gate = Gate()
      async let blocker: Void = database.read { _ in gate.wait() }
      await gate.entered()
      let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
        for number in 0..<20 {
          group.addTask {
            do {
              let newest = try await database.read { transaction in
                if number % 4 == 1 { throw Refused() }
                if number % 4 == 2 { try transaction.execute("SELECT nothing FROM nowhere") }
                return try Self.newest(transaction)
              }
              return (number, "\(newest)")
            } catch { return (number, error is Refused ? "refused" : "\((error as? StorageError)?.code == .syntax)") }
          }
        }
        while database.waiting.reads < 20 { await Task.yield() }
        gate.open()
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      try await blocker
      for number in 0..<20 { #expect(answers[number] == ["7", "refused", "true", "7"][number % 4]) }
    }
  }

  @Test("a read sees every write that was answered before it was requested", arguments: TestEngine.available)
  func freshness(_ engine: TestEngine) async throws {
    try await withDatabase(engine) { database in
      try await database.migrate([Self.schema])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<16 {
          group.addTask {
            for round in 0..<20 {
              let n = round * 16 + task + 1
              try await database.write { _ = try $0.execute("INSERT INTO t (n) VALUES (\(n))") }
              #expect(try await database.read { try Self.newest($0) } >= n)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
