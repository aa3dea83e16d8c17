import Foundation
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("Housekeeping", .timeLimit(.minutes(5)))
struct HousekeepingTests {
  @Test(
    "a sweep removes only files without a row, page by page",
    .enabled(if: !TestBucket.holdsAllFiles, "of the directory"), arguments: TestEngine.available)
  func sweep(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.domain.filePage, 2)) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let files = World.Body.multipart((0..<5).map { _ in .file("files", Sample.png) })
      let paths = try await a.success(.POST, "\(channel)/chats", files)["files"]?.list?.compactMap(\.string) ?? []
      for folder in ["channelChats", "profiles", "workspaceCoverImages", "uploads"] {
        for index in 0..<5 {
          let orphan = world.data.appending(path: "files/\(folder)/orphan\(index).png")
          try Data(Sample.png).write(to: orphan)
        }
      }
      // All of them are younger than an hour: their requests may still be running.
      try await world.server.madang.sweepFiles(olderThan: 3_600_000)
      try await world.server.madang.removeUploads(olderThan: 3_600_000)
      #expect(try await world.files(in: "uploads").count == 5)
      #expect(try await world.files(in: "channelChats").count == 10)
      try await world.server.madang.sweepFiles(olderThan: -60_000)
      try await world.server.madang.removeUploads(olderThan: -60_000)
      #expect(try await world.hasNoFiles(in: "uploads", "profiles"))
      #expect(try await world.files(in: "workspaceCoverImages") == ["default.png"])
      #expect(Set(try await world.files(in: "channelChats").map { "/static/channelChats/\($0)" }) == Set(paths))
      #expect(try await a.call(.GET, "/v1\(paths[0])").body == Sample.png)
    }
  }

  @Test("files of a deleted channel are removed page by page", arguments: TestEngine.available)
  func retired(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.domain.filePage, 2)) { (world) async throws in
      let a = try await world.signUp("Mina")
      let workspace = try await a.workspace()
      let files = World.Body.multipart((0..<5).map { _ in .file("files", Sample.png) })
      let kept = try await a.channel("kept", in: workspace)
      let deleted = try await a.channel("deleted", in: workspace)
      for channel in [kept, deleted] { _ = try await a.success(.POST, "\(channel)/chats", files) }
      _ = try await a.success(.DELETE, deleted)
      #expect(try await World.eventually { try await world.files(in: "channelChats").count == 5 })
      let left: Int? = try await world.server.madang.database.read {
        try $0.first("SELECT COUNT(*) AS rows FROM files") { try $0.get("rows") }
      }
      #expect(left == 5)
    }
  }

  @Test(
    "sessions are deleted long after their expiry, changes when every server has read them",
    arguments: TestEngine.available)
  func expired(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let (madang, day) = (world.server.madang, Int64(24 * 3_600_000))
      let a = try await world.signUp("Mina")
      _ = try await a.call(.GET, "users/logout")
      _ = try await world.signUp("Joon")
      @Sendable func rows(_ table: StaticString) async throws -> Int {
        try await madang.database.read { transaction in
          try transaction.first("SELECT COUNT(*) AS number FROM \(raw: "\(table)")") { try $0.get("number") } ?? 0
        }
      }
      for (days, sessions, changes) in [(0, 1, 1), (2, 1, 0), (60, 1, 0), (90, 0, 0)] as [(Int64, Int, Int)] {
        world.clock.advance(milliseconds: days * day)
        try await madang.removeExpiredSessions()
        try await madang.forgetChanges()
        #expect(try await rows("sessions") == sessions, "after \(days) days more")
        #expect(try await rows("changes") == changes, "after \(days) days more")
      }
    }
  }
}
