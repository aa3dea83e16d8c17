import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Announcements", .timeLimit(.minutes(5)))
struct AnnouncementTests {
  /// The oldest chats in the default channel of a workspace.
  private static func general(_ person: TestPerson, _ workspace: String) async throws -> [JSON] {
    let channel = try #require(try await person.get("\(workspace)/channels").list?.last?["channel_id"]?.string)
    return try await person.get("\(workspace)/channels/\(channel)/chats").list ?? []
  }

  /// A server that leaves announcements to the test.
  private static let settings = World.settings(\.workspaces.announcementRate, 0)

  @Test(
    "an announcement is posted once to the default channel of each workspace, by an account that belongs to none",
    arguments: TestEngine.available)
  func everywhere(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      var workspaces = [yard.w]
      for index in 0..<4 { workspaces.append(try await yard.a.workspace("W\(index)")) }
      let gone = try await yard.a.workspace("Gone")
      let sender = try await world.signUp("Notice")
      _ = try await madang.disable(email: sender.email, by: .hana)
      let made = try await madang.announce(
        "We move on Sunday.", title: "Notice", from: sender.email, workspace: nil, by: .hana)
      #expect(made.rooms == 6 && made.waiting == 6 && made.author == sender.email)
      _ = try await yard.a.success(.DELETE, gone)
      // As several servers, or one that was killed and started again.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { while try await madang.postAnnouncement() {} } }
        try await group.waitForAll()
      }
      for workspace in workspaces {
        let chats = try await Self.general(yard.a, workspace)
        #expect(chats.map { $0["content"] } == ["Notice\n\nWe move on Sunday."])
        #expect(chats.first?["user"]?["nickname"] == .text("Notice"))
      }
      #expect(try await madang.announcements(after: 0, limit: 9).map(\.waiting) == [0])
      // It is a chat like others, unread for all, and the account is a member of no workspace.
      #expect(try await yard.a.get("\(yard.w)/members").list?.count == 2)
      #expect(try await RetentionTests.findings(world) == [])
      let entries = try await AuditTests.entries(world, .announcementMade)
      #expect(entries.map { $0.detail["rooms"] } == ["6"])
      await #expect(throws: Failure.self) { _ = try await madang.cancelAnnouncement(made.id, by: .hana) }
      world.clock.advance(milliseconds: 91 * 24 * 3_600_000)
      try await madang.forgetAnnouncements()
      #expect(try await madang.announcements(after: 0, limit: 9).isEmpty)
    }
  }

  @Test(
    "an announcement can be limited to one workspace and cancelled, and waits in read-only mode",
    arguments: TestEngine.available)
  func limits(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      let other = try await yard.a.workspace("Elsewhere")
      let from = yard.c.email
      let one = try await madang.announce(
        "here only", title: "", from: from, workspace: WorkspaceName("Elsewhere"), by: .hana)
      #expect(one.rooms == 1)
      _ = try await madang.beginReadOnlyMode(reason: "", by: .hana)
      do {
        _ = try await madang.postAnnouncement()
        Issue.record("it was posted")
      } catch let error as StorageError { #expect(error.code == .writesStopped) }
      _ = try await madang.endReadOnlyMode(by: .hana)
      #expect(try await madang.postAnnouncement())
      #expect(try await madang.postAnnouncement() == false)
      #expect(try await Self.general(yard.a, other).map { $0["content"] } == ["here only"])
      #expect(try await Self.general(yard.a, yard.w) == [])
      let all = try await madang.announce("everywhere", title: "", from: from, workspace: nil, by: .hana)
      #expect(try await madang.postAnnouncement())
      let cancelled = try await madang.cancelAnnouncement(all.id, by: .hana)
      #expect(cancelled.rooms == 2 && cancelled.waiting == 0 && cancelled.cancelledAt == world.clock.now)
      #expect(try await madang.postAnnouncement() == false)
      for (text, email, place) in [
        (" ", from, nil), ("x", "nobody@example.com", nil), ("x", from, "Nowhere"),
        (String(repeating: "x", count: 10_001), from, nil),
      ] as [(String, String, String?)] {
        await #expect(throws: Failure.self) {
          _ = try await madang.announce(
            text, title: "", from: email, workspace: place.map { WorkspaceName($0) }, by: .hana)
        }
      }
      #expect(try await AuditTests.entries(world, .announcementMade, .announcementCancelled).count == 3)
    }
  }

  @Test("an announcement comes after the chats before it", arguments: TestEngine.available)
  func order(_ engine: TestEngine) async throws {
    @Sendable func fill(_ world: World) async throws {
      let yard = try await world.courtyard()
      let channel = try #require(try await yard.a.get("\(yard.w)/channels").list?.last?["channel_id"]?.string)
      _ = try await yard.a.say("first", in: "\(yard.w)/channels/\(channel)")
    }
    // A server's own writes would count as waiting, too.
    try await BackupScene.withoutServer(engine, filledBy: fill) { (madang) async throws in
      let (room, workspace) = try await madang.database.read { transaction in
        try transaction.one("SELECT id, workspace_id FROM rooms WHERE id IN (SELECT room_id FROM chats)") {
          (try $0.get("id", as: Int64.self), try $0.get("workspace_id", as: Int64.self))
        }
      }
      let address = RoomAddress(.channel, .number(room), in: .number(workspace))
      let mina = try #require(try await madang.people(named: "mina@example.com").first)
      _ = try await madang.announce("announced", title: "", from: "sora@example.com", workspace: nil, by: .hana)
      let (began, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      async let blocker: Void = madang.database.write(key: room) { _ in
        began.signal()
        go.wait()
      }
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          began.wait()
          continuation.resume()
        }
      }
      let post = Task { try await madang.post(ChatDraft(content: "posted"), to: address, as: .acting(mina)) }
      while madang.database.waiting.writes < 1 { try await Task.sleep(for: .milliseconds(1)) }
      let announcement = Task { try await madang.postAnnouncement() }
      while madang.database.waiting.writes < 2 { try await Task.sleep(for: .milliseconds(1)) }
      go.signal()
      try await blocker
      _ = try await (post.value, announcement.value)
      let chats = try await madang.database.read { transaction in
        try transaction.all("SELECT content FROM chats WHERE room_id = \(room) ORDER BY seq") {
          try $0.get("content", as: String.self)
        }
      }
      #expect(chats == ["first", "posted", "announced"])
    }
  }

  @Test("a server posts waiting announcements by itself", arguments: TestEngine.available)
  func server(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings) { (world) async throws in
      let yard = try await world.courtyard()
      _ = try await world.server.madang.announce("soon", title: "", from: yard.c.email, workspace: nil, by: .hana)
      world.clock.advance(milliseconds: 6000)
      #expect(try await World.eventually { try await Self.general(yard.b, yard.w).count == 1 })
    }
  }
}
