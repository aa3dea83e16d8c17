import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Administration of workspaces, files, mails and backups", .timeLimit(.minutes(5)))
struct PlacesAdministrationTests {
  private static let builders: WorkspaceName = "Weekend Builders"

  private func code(_ body: () async throws -> Void) async -> Failure.Code? {
    do { try await body() } catch let failure as Failure { return failure.code } catch { Issue.record(error) }
    return nil
  }

  @Test(
    "a member that an administrator adds joins by the same rules as one that the owner invites",
    arguments: TestEngine.available, EditionName.allCases)
  func addMember(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { world in
      let administration = RunningAdministrationTests.administration(world)
      let yard = try await world.courtyard(through: edition)
      let changes = try await Self.newestChange(world)
      #expect(try await yard.c.code(.GET, yard.w) != nil)
      let workspace = try await administration.addMember(yard.c.email.uppercased(), to: Self.builders)
      #expect(workspace.members == 3)
      #expect(try await yard.c.code(.GET, yard.w) == nil)
      let members = try await world.server.madang.database.read { transaction in
        try transaction.all("SELECT user_id FROM channel_members ORDER BY user_id") {
          try $0.get("user_id", as: Int64.self)
        }
      }
      #expect(members == [1, 2, 3])
      // Sockets that wait for a membership learn of it by the log of changes.
      #expect(try await Self.newestChange(world) > changes)
      let entry = try #require(try await administration.audit(AuditQuestion()).last)
      #expect(entry.kind == "memberAdded" && entry.subject == yard.c.email && entry.account == 3)
      #expect(entry.detail.texts == ["workspace": Self.builders.text])

      let first = try await administration.members(of: Self.builders, limit: 2)
      #expect(first.elements.map(\.email) == [yard.a.email, yard.b.email] && first.next == 2)
      #expect(first.elements.map(\.isOwner) == [true, false])
      #expect(try await administration.members(of: Self.builders, after: 2, limit: 2).elements.map(\.number) == [3])
    }
  }

  private static func newestChange(_ world: World) async throws -> Int64 {
    try await world.server.madang.database.read {
      try $0.one("SELECT COALESCE(MAX(id), 0) AS newest FROM changes") { try $0.get("newest") }
    }
  }

  @Test(
    "an administrator adds neither members, nor waiting or unknown accounts, nor more members than the quota allows",
    arguments: TestEngine.available)
  func refusedMembers(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let administration = RunningAdministrationTests.administration(world)
      let yard = try await world.courtyard()
      func add(_ email: String, to workspace: WorkspaceName = Self.builders) async -> Failure.Code? {
        await code { _ = try await administration.addMember(email, to: workspace) }
      }
      #expect(await add(yard.b.email) == .duplicate)
      #expect(await add(yard.a.email) == .duplicate)
      #expect(await add("unknown@example.com") == .noSuchUser)
      #expect(await add(yard.c.email, to: "unknown") == .notFound)
      _ = try await administration.setQuota(of: Self.builders, channels: nil, members: 2, fileBytes: nil)
      #expect(await add(yard.c.email) == .quotaReached)
      _ = try await administration.setQuota(of: Self.builders, channels: nil, members: 3, fileBytes: nil)
      _ = try await world.server.madang.database.write {
        try $0.execute("UPDATE users SET pending_at = 5 WHERE id = 3")
      }
      #expect(await add(yard.c.email) == .limited)
      #expect(try await administration.audit(AuditQuestion()).allSatisfy { $0.kind != "memberAdded" })
    }
  }

  @Test(
    "a workspace that an administrator deletes is gone as after its owner's deletion, but not while it is on hold",
    arguments: TestEngine.available)
  func deleteWorkspace(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let administration = RunningAdministrationTests.administration(world)
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      _ = try await yard.a.say("hello", in: channel)
      _ = try await administration.setHold(true, of: Self.builders)
      #expect(await code { _ = try await administration.deleteWorkspace(Self.builders) } == .held)
      #expect(try await yard.b.code(.GET, yard.w) == nil)
      _ = try await administration.setHold(false, of: Self.builders)
      let changes = try await Self.newestChange(world)
      let deleted = try await administration.deleteWorkspace(Self.builders)
      #expect(deleted.name == Self.builders.text && deleted.chats == 1)
      #expect(try await yard.a.code(.GET, yard.w) == "E13")
      #expect(try await yard.b.code(.GET, channel) == "E13")
      #expect(try await Self.newestChange(world) > changes)
      #expect(await code { _ = try await administration.deleteWorkspace(Self.builders) } == .notFound)
      let entry = try #require(try await administration.audit(AuditQuestion()).last)
      #expect(entry.kind == "workspaceDeleted" && entry.subject == Self.builders.text)
      #expect(entry.detail.texts["members"] == "2" && entry.detail.texts["owner"] == yard.a.email)
      // The name is free again, and the rows go in the background.
      _ = try await yard.b.workspace(Self.builders.text)
      #expect(try await administration.workspaces(limit: 9).total == 1)
    }
  }

  @Test("files are added up over pages, with the largest workspaces and accounts", arguments: TestEngine.available)
  func files(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let administration = RunningAdministrationTests.administration(world, world.server.settings)
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      for _ in 0..<2 {
        _ = try await yard.a.success(
          .POST, "\(channel)/chats", .multipart([.text("content", "x"), .file("files", Sample.png)]))
      }
      _ = try await yard.b.success(.PUT, "users/me/image", .multipart([.file("image", Sample.jpeg)]))
      _ = try await administration.setQuota(of: Self.builders, channels: nil, members: nil, fileBytes: 9_000_000)
      let (png, jpeg) = (Sample.png.count, Sample.jpeg.count)
      for page in [1, 2, 5000] {
        let totals = try await world.server.madang.fileTotals(page: page)
        #expect(totals.files == 3 && totals.bytes == 2 * png + jpeg)
        #expect(totals.workspaces.map(\.bytes) == [2 * png] && totals.workspaces.map(\.limit) == [9_000_000])
        #expect(
          Dictionary(uniqueKeysWithValues: totals.accounts.map { ($0.email, $0.bytes) })
            == [yard.a.email: 2 * png, yard.b.email: jpeg])
      }
      let files = try await administration.files()
      #expect(files.files == 3 && files.database > 0 && files.disk.size > files.disk.free)
      guard !TestBucket.holdsAllFiles else { return }
      #expect(files.fileBytes == 2 * png + jpeg && files.trash.files == 0)
      let trash = world.data.appending(path: "files/trash/2026-11-01/profiles")
      try FileManager.default.createDirectory(at: trash, withIntermediateDirectories: true)
      try Data(count: 7).write(to: trash.appending(path: "a.png"))
      try Data(count: 5).write(to: trash.appending(path: "b.png"))
      let later = try await administration.files().trash
      #expect(later.files == 2 && later.bytes == 12 && later.days == 30)
    }
  }

  @Test("waiting mails are listed with the reason why they wait, without their texts", arguments: TestEngine.available)
  func mails(_ engine: TestEngine) async throws {
    var settings = World.settings
    settings.isDevelopment = false
    settings.keys = [DevelopmentKey.october2024: .october2024]
    try await World.run(engine, settings: settings) { world in
      let (madang, administration) = (world.server.madang, RunningAdministrationTests.administration(world))
      for to in ["mina@example.com", "joon@example.com"] {
        try await madang.queue(Mail(.test, to: to, subject: "S", body: "secret"), lifetime: 3_600_000)
      }
      #expect(try await administration.mails().failing == nil)
      let first = try #require(try await madang.claimMails(limit: 1, for: 1000).first)
      try await madang.putOff(first, for: 60_000, because: "451 \u{0}Greylisted" + String(repeating: "x", count: 300))
      // An interrupted attempt says nothing new.
      world.clock.advance(milliseconds: 60_000)
      let again = try #require(try await madang.claimMails(limit: 2, for: 1000).first { $0.id == first.id })
      try await madang.putOff(again, for: 0, because: nil)
      let mails = try await administration.mails()
      #expect(mails.waiting == 2 && mails.mails.map(\.to) == ["mina@example.com", "joon@example.com"] && !mails.sends)
      let failed = try #require(mails.mails.first)
      #expect(failed.tries == 2 && failed.error?.hasPrefix("451 Greylisted") == true && failed.error?.count == 200)
      #expect(mails.failing?.reason == failed.error && mails.failing?.since == failed.queuedAt)
      #expect(mails.mails.last?.error == nil)
      #expect(!String(decoding: try WireEncoder.encode(mails), as: UTF8.self).contains("secret"))
    }
  }

  @Test("the backups of a directory are listed from their manifests, damaged ones too")
  func backups() async throws {
    try await BackupScene.run(.sqlite) { scene in
      #expect(try await Administration.backups(in: scene.backups).isEmpty)
      let made = [try await scene.backUp(), try await scene.backUp()]
      let listed = try await Administration.backups(in: scene.backups)
      #expect(listed.map(\.path) == made.reversed().map(\.path) && listed.map(\.rows) == made.reversed().map(\.rows))
      #expect(listed.map(\.files) == made.reversed().map(\.files) && listed.allSatisfy { $0.bytes > made[0].bytes })
      #expect(listed.allSatisfy { $0.losses.isEmpty })
      try Data("{}".utf8).write(to: URL(filePath: made[0].path).appending(path: "manifest.json"))
      let damaged = try #require(try await Administration.backups(in: scene.backups).last)
      #expect(damaged.createdAt.prefix(14) == made[0].createdAt.prefix(14) && damaged.rows == 0)
      #expect(damaged.losses.first?.contains("damaged") == true)
    }
  }
}
