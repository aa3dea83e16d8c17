import Foundation
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Bounded work", .timeLimit(.minutes(5)))
struct BoundedWorkTests {
  private static func plan(_ statement: SQL, _ database: Database) async throws -> [String] {
    try await database.write { transaction in
      switch database.dialect {
      case .sqlite: return try transaction.all("EXPLAIN QUERY PLAN \(sql: statement)") { try $0.get("detail") }
      case .postgres:
        // Tables without rows are cheaper to read whole.
        try transaction.execute("SET LOCAL enable_seqscan = off")
        try transaction.execute("SET LOCAL enable_bitmapscan = off")
        return try transaction.all("EXPLAIN \(sql: statement)") { try $0.get("QUERY PLAN") }
      }
    }
  }

  @Test(
    "retention, holds, old addresses and password costs are looked up in an index",
    arguments: TestEngine.available)
  func plans(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let database = world.server.madang.database
      let place = ListPlace(time: 1, number: 1)
      let statements: [(index: String, isOrdered: Bool, SQL)] = [
        (
          "rooms_of_channels_in_order", true,
          Transaction.channels(of: 1, joinedBy: nil, before: place, limit: 10)
        ),
        ("rooms_of_channels_in_order", true, Transaction.channels(of: 1, joinedBy: 2, before: place, limit: 10)),
        (
          "workspace_members_in_order", true,
          .members("workspace_members", "m.workspace_id = \(Int64(1))", after: place, limit: 10)
        ),
        (
          "channel_members_in_order", true,
          .members("channel_members", "m.room_id = \(Int64(1))", after: place, limit: 10)
        ),
        ("workspaces_held", false, Transaction.holdOn(1)),
        ("recent_addresses_by_date", false, Transaction.forgettingAddresses("< \(Int64(5))", limit: 10)),
        ("recent_addresses_by_account", false, "DELETE FROM recent_addresses WHERE user_id = \(Int64(1))"),
        ("users_by_password_cost", true, Transaction.nextPasswordCost(after: "$")),
        ("workspaces_with_retention", true, Transaction.workspacesWithRetention(after: 1, limit: 10)),
      ]
      for (index, isOrdered, statement) in statements {
        let plan = try await Self.plan(statement, database)
        #expect(plan.contains { $0.contains(index) }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN ") && !$0.contains(index) || $0.contains("Seq Scan") }, "\(plan)")
        if isOrdered { #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.contains("Sort") }, "\(plan)") }
      }
    }
  }

  @Test("old addresses are deleted page by page, also those dated in the future", arguments: TestEngine.available)
  func addresses(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let user = try #require(try await madang.accountNumber(email: try await world.signUp("Mina").email))
      let now = madang.clock.now
      let count = { () async throws -> Int64 in
        try await madang.database.read {
          try $0.one("SELECT COUNT(*) AS n FROM recent_addresses WHERE address LIKE 'test %'") { try $0.get("n") }
        }
      }
      try await madang.database.write { transaction in
        for number in 0..<1203 {
          let time = number < 1100 ? now - 2_000_000 : number < 1200 ? now + 2_000_000 : now
          try transaction.execute(
            "INSERT INTO recent_addresses (address, user_id, seen_at) VALUES (\("test \(number)"), \(user), \(time))")
        }
      }
      let times = now - 1_000_000...now + 1_000_000
      #expect(try await madang.database.write { try $0.forgetAddresses(seenOutside: times, limit: 50) } == 100)
      #expect(try await count() == 1103)
      try await madang.forgetAddresses(olderThan: 1_000_000)
      #expect(try await count() == 3)
    }
  }

  @Test("retention reads rooms page by page, and none where everything is kept", arguments: TestEngine.available)
  func retention(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      for number in 0..<4 { _ = try await mina.channel("room \(number)", in: workspace) }
      let pages = { (chatDays: Int) async throws -> [Int] in
        var (sizes, next): ([Int], Int64?) = ([], 0)
        while let room = next {
          let page = try await madang.database.read {
            try $0.expiringRooms(
              after: room, in: nil, defaults: (chatDays, 0), now: madang.clock.now, limit: 2)
          }
          sizes.append(page.expiring.count)
          next = page.last
        }
        return sizes
      }
      // Three pages for five rooms, although no room has anything old.
      #expect(try await pages(1) == [0, 0, 0])
      #expect(try await madang.database.read { try $0.workspacesWithRetention(after: 0, limit: 10) } == [])
      _ = try await madang.setRetention(
        RetentionDays(chats: 0, files: 0), of: WorkspaceName("Weekend Builders"), by: .hana)
      #expect(try await madang.database.read { try $0.workspacesWithRetention(after: 0, limit: 10) } == [])
      _ = try await madang.setRetention(
        RetentionDays(chats: nil, files: 3), of: WorkspaceName("Weekend Builders"), by: .hana)
      #expect(try await madang.database.read { try $0.workspacesWithRetention(after: 0, limit: 10).count } == 1)
    }
  }

  @Test("the costs of password hashes are estimated from a sample of the accounts", arguments: TestEngine.available)
  func passwordCosts(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let hash = String(repeating: "x", count: 70)
      try await madang.database.write { transaction in
        for number in 0..<5000 {
          let cost = number == 4999 ? "$rare$" : number % 4 == 0 ? "$old$" : "$new$"
          let password: String? = number % 10 == 1 ? nil : cost + hash
          let name = "\(number)@example.com"
          try transaction.execute(
            """
            INSERT INTO users (uuid, email, email_key, password_hash, nickname, phone, coins, created_at)
            VALUES (\(name), \(name), \(name), \(password), 'x', '', 0, 0)
            """)
        }
      }
      let costs = try await madang.database.read { try $0.passwordCosts() }
      #expect(costs.map(\.example) == ["$new$", "$old$", "$rare$"].map { $0 + hash })
      // Of two thousand accounts.
      #expect(costs.map(\.count).reduce(0, +) <= 2000 && costs[2].count == 1)
      #expect((400...600).contains(costs[1].count) && costs[0].count > 2 * costs[1].count)
    }
  }

  @Test(
    "sums of file sizes are checked some at a time, each call continuing the last one",
    arguments: TestEngine.available)
  func fileUsage(_ engine: TestEngine) async throws {
    try await BackupScene.withoutServer(engine) { (madang) async throws in
      try await madang.database.write { transaction in
        for number in 0..<250 {
          try transaction.execute(
            "INSERT INTO file_usage (scope, owner_id, bytes) VALUES ('account', \(Int64(1000 + number)), 5)")
        }
      }
      let count = { () async throws -> Int64 in
        try await madang.database.read { try $0.one("SELECT COUNT(*) AS n FROM file_usage") { try $0.get("n") } }
      }
      for left in [150, 50, 0] as [Int64] {
        try await madang.forgetWrongFileUsage()
        #expect(try await count() == left)
      }
      // None is left out because the last call ended in the middle.
      try await madang.database.write {
        _ = try $0.execute("INSERT INTO file_usage (scope, owner_id, bytes) VALUES ('account', 1, 5)")
      }
      try await madang.forgetWrongFileUsage()
      #expect(try await count() == 0)
    }
  }

  @Test("an announcement reaches all workspaces, and is cancelled, by pages", arguments: TestEngine.available)
  func announcement(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.workspaces.announcementRate, 1)) { (world) async throws in
      let madang = world.server.madang
      let mina = try await world.signUp("Mina")
      let owner = try #require(try await madang.accountNumber(email: mina.email))
      await #expect {
        try await madang.announce("hello", title: "", from: mina.email, workspace: nil, by: .hana)
      } throws: {
        ($0 as? Failure)?.code == .notFound
      }
      #expect(try await madang.announcements(after: 0, limit: 10).isEmpty)
      try await madang.database.write { transaction in
        for number in 0..<1100 {
          let uuid = UUID().uuidString.lowercased()
          let id = try #require(
            try transaction.insertWorkspace(
              uuid: uuid, name: "w\(number)", description: "", cover: nil, owner: owner, now: 0))
          _ = try transaction.insertChannel(
            NewChannel(
              uuid: UUID().uuidString.lowercased(), workspace: id, name: "all", description: "", cover: nil,
              owner: owner, isDefault: true), now: 0)
        }
      }
      let made = try await madang.announce("hello", title: "", from: mina.email, workspace: nil, by: .hana)
      #expect(made.rooms == 1100 && made.waiting > 1000)
      let cancelled = try await madang.cancelAnnouncement(made.id, by: .hana)
      #expect(cancelled.waiting == 0 && cancelled.rooms == 1100 && cancelled.cancelledAt != nil)
      await #expect { try await madang.cancelAnnouncement(made.id, by: .hana) } throws: {
        ($0 as? Failure)?.code == .notFound
      }
      let one = try await madang.announce(
        "again", title: "", from: mina.email, workspace: WorkspaceName("w7"), by: .hana)
      #expect(one.rooms == 1)
    }
  }
}
