import MadangServer
import Storage
import Support
import Testing

@testable import MadangCore

/// How statements find their rows, where the embedded database has a choice between an index and reading all.
@Suite("Query plans", .timeLimit(.minutes(5)))
struct PlanTests {
  @Test(
    "chats of an account and deleted rows are found by an index",
    arguments: TestEngine.available)
  func plans(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let database = world.server.madang.database
      let statements =
        Transaction.roomsWrittenIn(by: 7, after: 3) + [
          Transaction.deletedRooms(limit: 10), Transaction.deletedWorkspaces(limit: 10),
        ]
      for (index, name) in ["chats_first_of_author", "former_authors", "rooms_deleted", "workspaces_deleted"]
        .enumerated()
      {
        let plan: [String] = try await database.write { transaction in
          switch database.dialect {
          case .sqlite:
            return try transaction.all("EXPLAIN QUERY PLAN \(sql: statements[index])") { try $0.get("detail") }
          case .postgres:
            // A table without rows is cheaper to read whole.
            try transaction.execute("SET LOCAL enable_seqscan = off")
            return try transaction.all("EXPLAIN \(sql: statements[index])") { try $0.get("QUERY PLAN") }
          }
        }
        #expect(plan.contains { $0.contains(name) }, "\(plan)")
        // PostgreSQL may sort the few rows that it has found.
        let isRead = plan.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN") || $0.contains("Seq Scan") }
        #expect(!isRead, "\(plan)")
      }
    }
  }
}
