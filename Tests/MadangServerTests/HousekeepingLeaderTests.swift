import Foundation
import Logging
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("Leader of the housekeeping", .timeLimit(.minutes(5)))
struct HousekeepingLeaderTests {
  /// What `GET /metrics` says of who tidies up: how many of these servers.
  private static func leaders(_ worlds: World...) async throws -> Int {
    var leaders = 0
    for world in worlds {
      let page = try await world.call(.GET, "/metrics", key: nil)
      let lines = String(decoding: page.body, as: UTF8.self).split(separator: "\n")
      leaders += lines.contains("madang_housekeeping_leader 1") ? 1 : 0
    }
    return leaders
  }

  /// Two servers, and a third process on their database, which the body closes.
  private static func three(_ body: @escaping @Sendable (World, World, Database) async throws -> Void) async throws {
    try await withEngine(.postgres) { place in
      guard case .postgres(let url) = place else { return }
      var settings = World.settings(\.housekeepingTurn, .milliseconds(20))
      settings.database.url = url
      settings.dataDirectory = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: settings.dataDirectory) }
      try await World.run(settings) { [settings] first in
        try await World.run(settings) { second in
          let third = try await Database(.forTests(place), logger: Logger(label: "test"))
          try await body(first, second, third)
        }
      }
    }
  }

  @Test("the one server on the embedded database does the housekeeping")
  func alone() async throws {
    try await World.run(.sqlite) { (world) async throws in
      #expect(try await World.eventually { try await Self.leaders(world) == 1 })
    }
  }

  @Test(
    "one of two servers does the housekeeping, and another takes over when it is cut off",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func leaders(_ engine: TestEngine) async throws {
    try await Self.three { (first, second, third) async throws in
      #expect(try await World.eventually { try await Self.leaders(first, second) == 1 })
      // What one deletes the other clears up as well.
      let a = try await first.signUp("Mina")
      let workspace = try await a.workspace()
      @Sendable func delete(by world: World) async throws {
        let channel = try await a.channel("c\(world.url.suffix(5))", in: workspace)
        #expect(try await world.call(.DELETE, channel, token: a.token).status == 200)
      }
      @Sendable func marked() async throws -> Int {
        try await first.server.madang.database.read { transaction in
          try transaction.first("SELECT COUNT(*) AS number FROM rooms WHERE deleted_at IS NOT NULL") {
            try $0.get("number")
          } ?? 0
        }
      }
      for world in [first, second] { try await delete(by: world) }
      #expect(try await World.eventually { try await marked() == 0 })

      try await closing(third) { third in
        let hasTakenOver = try await World.eventually {
          try await third.write { transaction in
            _ = try transaction.execute(
              """
              SELECT pg_terminate_backend(pid, 60000) FROM pg_locks
              WHERE locktype = 'advisory' AND objid = hashtext('housekeeping')::oid AND pid <> pg_backend_pid()
                AND classid = hashtext('madang locks of ' || current_schema())::oid
              """)
          }
          return try await third.tryAdvisoryLock("housekeeping")
        }
        #expect(hasTakenOver)
        #expect(try await World.eventually { try await Self.leaders(first, second) == 0 })
        try await delete(by: first)
        #expect(try await marked() == 1)
      }
      #expect(try await World.eventually { try await marked() == 0 })
      #expect(try await World.eventually { try await Self.leaders(first, second) == 1 })
    }
  }
}
