import Foundation
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

/// Of the deletion that survives a stop. Scripts/test-millions asks for more.
private let chatCount = ProcessInfo.processInfo.environment["MADANG_TEST_CHATS"].flatMap(Int.init) ?? 20_000

// Four million chats take three minutes where the disk is slow.
@Suite("Deletions", .timeLimit(.minutes(chatCount > 20_000 ? 20 : 3)))
struct DeletionsTests {
  /// Puts chats of a person into every room of a workspace, as if they had been posted.
  private static func fill(_ world: World, _ count: Int, by author: String) async throws {
    try await world.server.madang.database.write { transaction in
      try transaction.execute(
        """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
        INSERT INTO chats (uuid, room_id, seq, author_id, author_ordinal, content, file_count, created_at)
        SELECT 'chat', r.id, r.last_seq + n, u.id, r.last_seq + n, 'x', 0, r.last_chat_at + n
        FROM numbers, rooms r, users u WHERE u.email = \(author)
        """)
      try transaction.execute("UPDATE rooms SET last_seq = last_seq + \(count), last_chat_at = last_chat_at + \(count)")
    }
  }

  private static func rows(_ world: World, _ table: StaticString) async throws -> Int {
    try await rows(world.server.madang, table)
  }

  private static func rows(_ madang: Madang, _ table: StaticString) async throws -> Int {
    try await madang.database.read { transaction in
      try transaction.first("SELECT COUNT(*) AS number FROM \(raw: "\(table)")") { try $0.get("number") } ?? 0
    }
  }

  @Test(
    "a deleted workspace disappears at once, frees its name, and its rows are deleted later",
    arguments: TestEngine.available)
  func workspace(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channel = try await a.channel("ios", in: w)
      let room = try await a.directMessage(with: b, in: w)
      _ = try await a.success(.POST, "\(channel)/chats", .multipart([.file("files", Sample.png)]))
      try await Self.fill(world, 3000, by: a.email)
      let name = try await a.get(w)["name"]?.string ?? ""
      #expect(try await a.success(.DELETE, w) == [:])
      for path in [w, channel, "\(channel)/chats", "\(room)/chats", "\(w)/channels", "\(w)/dms"] {
        #expect(try await b.call(.GET, path).code == "E13", "\(path)")
      }
      #expect(try await a.call(.POST, "\(channel)/chats", .json(["content": "late"])).code == "E13")
      #expect(try await b.get("workspaces").list?.isEmpty ?? false)
      let again = try await a.call(.POST, "workspaces", .multipart([.text("name", name), .file("image", Sample.png)]))
      #expect(again.status == 200)
      #expect(try await World.eventually { try await Self.rows(world, "workspaces") == 1 })
      for (table, left) in [
        ("rooms", 1), ("channels", 1), ("chats", 0), ("channel_members", 1), ("workspace_members", 1),
        ("direct_messages", 0), ("chat_files", 0),
      ] as [(StaticString, Int)] {
        #expect(try await Self.rows(world, table) == left, "\(table)")
      }
      #expect(try await World.eventually { try await world.files(in: "channelChats").isEmpty })
    }
  }

  @Test(
    "a deleted channel frees its name at once, and the next server deletes the rest",
    arguments: TestEngine.available)
  func channel(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let channel = try await a.channel("ios", in: w)
      try await Self.fill(world, 1000, by: a.email)
      _ = try await a.success(.DELETE, channel)
      _ = try await a.channel("ios", in: w)
      #expect(try await World.eventually { try await Self.rows(world, "chats") == 1000 })
      // As if the server had stopped right after the deletion.
      _ = try await world.server.madang.database.write { transaction in
        try transaction.execute("UPDATE rooms SET deleted_at = 1 WHERE id IN (SELECT room_id FROM channels)")
      }
      try await world.server.madang.clearDeleted(world.server.madang.deletedPlaces())
      #expect(try await Self.rows(world, "chats") == 0)
      #expect(try await Self.rows(world, "rooms") == 0)
    }
  }

  @Test(
    "rows of deleted rooms stay a while for the sockets of other servers",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func grace(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.deletionGrace, .seconds(3600))) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let other = try await yard.a.channel("web", in: yard.w)
      try await Self.fill(world, 10, by: yard.a.email)
      let (chats, rooms) = (try await Self.rows(world, "chats"), try await Self.rows(world, "rooms"))
      _ = try await yard.a.success(.DELETE, channel)
      _ = try await yard.a.success(.DELETE, yard.w)
      #expect(try await yard.a.call(.GET, other).code == "E13")
      #expect(try await Self.rows(world, "chats") == chats)
      #expect(try await Self.rows(world, "rooms") == rooms)
      let isCleared = try await World.eventually {
        world.clock.advance(milliseconds: 3_601_000)
        return try await Self.rows(world, "workspaces") == 0
      }
      #expect(isCleared)
      #expect(try await Self.rows(world, "chats") == 0)
      #expect(try await Self.rows(world, "rooms") == 0)
    }
  }

  @Test(
    "a later deletion waits its own time, even if its server's clock differs",
    arguments: TestEngine.available)
  func later(_ engine: TestEngine) async throws {
    @Sendable func fill(_ world: World) async throws {
      let yard = try await world.courtyard()
      _ = try await yard.a.channel("ios", in: yard.w)
      try await Self.fill(world, 10, by: yard.a.email)
    }
    try await BackupScene.withoutServer(engine, filledBy: fill) { (madang) async throws in
      let chats = try await Self.rows(madang, "chats")
      #expect(chats > 0)
      let places = try await madang.deletedPlaces()
      #expect(places.isEmpty)
      // As a server does that clears up nothing, and whose clock is behind.
      _ = try await madang.database.write { transaction in
        try transaction.execute("UPDATE rooms SET deleted_at = 1 WHERE uuid IS NOT NULL")
      }
      try await madang.clearDeleted(places)
      #expect(try await Self.rows(madang, "chats") == chats)
      try await madang.clearDeleted(madang.deletedPlaces())
      #expect(try await Self.rows(madang, "chats") == 0)
    }
  }

  /// The lowest id of a chat.
  private static func firstChat(_ world: World) async throws -> Int {
    try await world.server.madang.database.read { transaction in
      try transaction.first("SELECT id FROM chats ORDER BY id LIMIT 1") { try $0.get("id") } ?? .max
    }
  }

  @Test(
    "posts go on while a large workspace is deleted, and another server continues an interrupted deletion",
    arguments: TestEngine.available)
  func many(_ engine: TestEngine) async throws {
    try await withEngine(engine) { place in
      var settings = World.settings
      settings.callLimits.requests = 0
      settings.dataDirectory = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: settings.dataDirectory) }
      if case .postgres(let url) = place { settings.database.url = url }
      try await World.run(settings) { (world) async throws in
        let a = try await world.signUp("Mina")
        let doomed = try await a.workspace("doomed")
        _ = try await a.channel("ios", in: doomed)
        let rooms = try await Self.rows(world, "rooms")
        var left = chatCount
        while left > 0 {
          let part = min(left, 100_000)
          try await Self.fill(world, part / rooms, by: a.email)
          left -= part
        }
        let (filled, kept) = (try await Self.rows(world, "chats"), try await a.workspace("kept"))
        #expect(filled == chatCount)
        _ = try await a.success(.DELETE, doomed)
        let other = try await a.channel("web", in: kept)
        // It is stopped in the midst of it.
        var posted = 0
        while try await Self.firstChat(world) < filled / 4 {
          _ = try await a.say("\(posted)", in: other)
          posted += 1
        }
      }
      try await World.run(settings) { (world) async throws in
        #expect(
          try await World.eventually(within: .seconds(600)) { try await Self.rows(world, "workspaces") == 1 })
        let left = try await world.server.madang.database.read { transaction in
          try transaction.first("SELECT COUNT(*) AS number FROM chats WHERE uuid = 'chat'") {
            try $0.get("number", as: Int.self)
          }
        }
        #expect(left == 0)
      }
    }
  }

  @Test(
    "a refused change by an account outside the workspace writes nothing", arguments: TestEngine.available)
  func strangers(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let b = try await world.signUp("Joon")
      let w = try await a.workspace()
      let before = world.server.madang.database.writeCounts.commits
      for _ in 0..<5 { #expect(try await b.call(.DELETE, w).code == "E13") }
      #expect(world.server.madang.database.writeCounts.commits - before <= 5)
    }
  }
}
