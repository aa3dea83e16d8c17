import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Retention, legal hold and quotas", .timeLimit(.minutes(5)))
struct RetentionTests {
  private static let day: Int64 = 24 * 3_600_000

  /// Findings of `admin check` about rooms and attachments.
  static func findings(_ world: World) async throws -> [String] {
    try await world.server.madang.database.read { transaction in
      try (transaction.roomFindings() + transaction.attachmentFindings()).map { "\($0.subject) \($0.problem)" }
    }
  }

  @Test(
    "old chats are deleted with their files; unread counts, cursors and checks stay correct",
    arguments: TestEngine.available)
  func chats(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.retention.chatDays, 10)) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let room = try await yard.a.directMessage(with: yard.b, in: yard.w)
      var (a, b) = (yard.a, yard.b)
      /// Tokens do not live so long.
      func advance(days: Int64) async throws {
        world.clock.advance(milliseconds: days * Self.day)
        (a, b) = (
          try await world.signIn(yard.a, through: .october2024), try await world.signIn(yard.b, through: .october2024)
        )
      }
      _ = try await b.get("\(channel)/chats")
      for place in [channel, room] {
        for author in [a, b, a] { _ = try await author.say("old", in: place) }
        _ = try await a.success(.POST, "\(place)/chats", .multipart([.file("files", Sample.png)]))
      }
      try await advance(days: 6)
      var dates: [String: String] = [:]
      for place in [channel, room] {
        dates[place] = try await b.say("young", in: place)["createdAt"]?.string
        _ = try await a.say("younger", in: place)
      }
      #expect(try await madang.deleteExpired() == (0, 0))
      try await advance(days: 5)
      // Housekeeping may be at it as well.
      _ = try await madang.deleteExpired()
      try await madang.removeRetiredFiles()
      #expect(try await world.hasNoFiles(in: "channelChats", "dmChats"))
      for place in [channel, room] {
        let texts = try await b.get("\(place)/chats").list?.map { $0["content"]?.string }
        #expect(texts == ["young", "younger"])
        let count = { (person: TestPerson, date: String) in
          try await person.get("\(place)/unreads?after=\(date)")["count"]
        }
        // From before everything that is left.
        #expect(try await count(a, "1970-01-01T00:00:00.000Z") == 1)
        #expect(try await count(b, "1970-01-01T00:00:00.000Z") == 1)
        #expect(try await count(a, try #require(dates[place])) == 0)
        #expect(try await count(b, try #require(dates[place])) == 1)
      }
      #expect(try await Self.findings(world) == [])
      // A room without recent chats becomes empty and still works.
      try await advance(days: 20)
      _ = try await madang.deleteExpired()
      #expect(try await b.get("\(channel)/chats") == [])
      #expect(try await a.get("\(channel)/unreads?after=1970-01-01T00:00:00.000Z")["count"] == 0)
      #expect(try await Self.findings(world) == [])
      _ = try await b.say("again", in: channel)
      #expect(try await a.get("\(channel)/unreads?after=1970-01-01T00:00:00.000Z")["count"] == 1)
      #expect(try await b.get("\(channel)/unreads?after=1970-01-01T00:00:00.000Z")["count"] == 0)
      #expect(try await Self.findings(world) == [])
    }
  }

  @Test(
    "old files are deleted; a chat without text gets a notice, others keep their text",
    arguments: TestEngine.available)
  func files(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let file = World.Part.file("files", Sample.png)
      _ = try await yard.a.success(.POST, "\(channel)/chats", .multipart([file, file]))
      _ = try await yard.a.success(.POST, "\(channel)/chats", .multipart([.text("content", "a photo"), file]))
      let other = try await yard.c.workspace("Elsewhere")
      let kept = try await yard.c.channel("ios", in: other)
      _ = try await yard.c.success(.POST, "\(kept)/chats", .multipart([file]))
      let days = RetentionDays(chats: nil, files: 3)
      #expect(
        try await madang.setRetention(days, of: WorkspaceName("Weekend Builders"), by: .hana).retention.files == 3)
      world.clock.advance(milliseconds: 4 * Self.day)
      let a = try await world.signIn(yard.a, through: .october2024)
      let c = try await world.signIn(yard.c, through: .october2024)
      _ = try await madang.deleteExpired()
      try await madang.removeRetiredFiles()
      let chats = try #require(try await a.get("\(channel)/chats").list)
      #expect(chats.map { $0["content"]?.string } == [madang.settings.retention.expiredFilesText, "a photo"])
      #expect(chats.allSatisfy { $0["files"] == [] })
      #expect(try await world.files(in: "channelChats").count == 1)
      #expect(try await c.get("\(kept)/chats").list?.first?["files"]?.list?.count == 1)
      #expect(try await Self.findings(world) == [])
      await #expect(throws: Failure.self) {
        _ = try await madang.setRetention(RetentionDays(chats: -1, files: nil), of: WorkspaceName("1"), by: .hana)
      }
    }
  }

  @Test(
    "nothing of a workspace on hold is deleted until it is released", arguments: TestEngine.available)
  func hold(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.retention.chatDays, 10)) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let chat = try await yard.a.say("evidence", in: channel)
      let rows = { () async throws -> Int64 in
        try await madang.database.read { try $0.one("SELECT COUNT(*) AS n FROM chats") { try $0.get("n") } }
      }
      let name = WorkspaceName("Weekend Builders")
      let held = try await madang.setHold(true, of: name, by: .hana)
      #expect(held.heldAt == world.clock.now)
      world.clock.advance(milliseconds: 20 * Self.day)
      #expect(try await madang.deleteExpired() == (0, 0))
      await #expect { try await madang.removeChat(.uuid(try #require(chat["chat_id"]?.string)), by: .hana) } throws: {
        ($0 as? Failure)?.code == .held
      }
      await #expect { _ = try await madang.deleteAccount(email: yard.b.email, by: .hana) } throws: {
        ($0 as? Failure)?.code == .held
      }
      // A second hold changes nothing.
      #expect(try await madang.setHold(true, of: name, by: .hana).heldAt == held.heldAt)
      let again = try await world.signIn(yard.a, through: .october2024)
      _ = try await again.success(.DELETE, channel)
      _ = try await again.success(.DELETE, yard.w)
      try await madang.clearDeleted(madang.deletedPlaces())
      // Nor by a clearing that was under way when the hold began.
      let number = held.workspace.id.number
      let rooms: [Int64] = try await madang.database.read {
        try $0.all("SELECT id FROM rooms WHERE workspace_id = \(number)") { try $0.get("id") }
      }
      try await madang.clearDeleted(rooms.map { .room($0) } + [.workspace(number)])
      #expect(try await rows() == 1)
      #expect(try await madang.workspaces(after: 0, limit: 9).map(\.deletedAt) == [world.clock.now])
      _ = try await madang.setHold(false, of: WorkspaceName("\(held.workspace.id.number)"), by: .hana)
      try await madang.clearDeleted(madang.deletedPlaces())
      #expect(try await rows() == 0)
      let kinds = try await AuditTests.entries(world, .holdBegan, .holdEnded).map(\.kind)
      #expect(kinds == ["holdBegan", "holdEnded"])
    }
  }

  @Test(
    "files of an account cannot exceed its quota, also by parallel posts",
    arguments: TestEngine.available)
  func quota(_ engine: TestEngine) async throws {
    let size = Sample.png.count
    try await World.run(engine, settings: World.settings(\.files.perAccount, 3 * size)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      var channels: [String] = []
      for index in 0..<6 { channels.append(try await mina.channel("c\(index)", in: workspace)) }
      let codes = try await withThrowingTaskGroup(of: String?.self) { group in
        for channel in channels {
          group.addTask {
            try await mina.code(.POST, "\(channel)/chats", .multipart([.file("files", Sample.png)]))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes.filter { $0 == nil }.count == 3)
      #expect(codes.filter { $0 == "E11" }.count == 3)
      #expect(try await world.files(in: "channelChats").count == 3)
      _ = try await mina.say("text is free", in: channels[0])
      // Pictures count as well.
      #expect(try await mina.code(.PUT, "users/me/image", .multipart([.file("image", Sample.png)])) == "E11")
    }
  }
}
