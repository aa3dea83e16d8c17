import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Administration of members, accounts and chats", .timeLimit(.minutes(5)))
struct AccountDeletionTests {
  private static let builders = WorkspaceName("Weekend Builders")

  @Test(
    "a moderator's search ignores case and composition on both engines, beyond a page too",
    arguments: TestEngine.available)
  func search(_ engine: TestEngine) async throws {
    var settings = World.settings
    settings.domain.searchPage = 10
    try await World.run(engine, settings: settings) { (world) async throws in
      let (madang, yard) = (world.server.madang, try await world.courtyard())
      let channel = try await yard.a.channel("ios", in: yard.w)
      let texts = [
        "Im Été ist es heiß", "ПРИВЕТ мир", "감이 익었어요", "사과가 익었어요".decomposedStringWithCanonicalMapping, "ΟΔΥΣΣΕΥΣ",
        "100% a_b",
      ]
      for text in texts { _ = try await yard.a.say(text, in: channel) }
      for (text, expected) in [
        ("été", 0), ("ÉTÉ", 0), ("e\u{301}te\u{301}", 0), ("HEISS", 0), ("heiß", 0), ("привет", 1), ("Мир", 1),
        ("감이", 2),
        ("감이".decomposedStringWithCanonicalMapping, 2), ("사과가", 3), ("οδυσσευς", 4), ("οδυσσευσ", 4), ("% A_", 5),
      ] {
        var search = ChatSearch()
        search.text = text
        let found = try await madang.findChats(search, by: .hana).map(\.content)
        #expect(found.map { Array($0.utf8) } == [Array(texts[expected].utf8)], "\(text)")
      }
      // The oldest is beyond a page of those that are read.
      for number in 0..<30 { _ = try await yard.a.say("filler \(number)", in: channel) }
      var search = ChatSearch()
      (search.text, search.limit) = ("ÉTÉ", 1)
      #expect(try await madang.findChats(search, by: .hana).count == 1)
      (search.text, search.limit) = ("익었어요", 1)
      #expect(try await madang.findChats(search, by: .hana).map { Array($0.content.utf8) } == [Array(texts[3].utf8)])
      (search.text, search.limit) = ("", 3)
      #expect(try await madang.findChats(search, by: .hana).count == 3)
    }
  }

  @Test(
    "removing a member works like leaving, and the member's channels go to the workspace's owner",
    arguments: TestEngine.available,
    EditionName.allCases)
  func removeMember(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard(through: edition)
      let channel = try await yard.b.channel("joons", in: yard.w)
      _ = try await yard.b.say("hello", in: channel)
      let record = try await madang.removeMember(email: "JOON@example.com", from: Self.builders, by: .hana)
      #expect(record.members == 1)
      #expect(try await yard.b.code(.GET, yard.w) == "E13")
      #expect(try await yard.b.code(.GET, "\(channel)/chats") == "E13")
      #expect(try await yard.a.get("\(channel)/members").list?.count == 1)
      #expect(try await yard.a.get(channel)["owner_id"]?.id == yard.a.id)
      #expect(try await yard.a.get("\(channel)/chats").list?.first?["user"]?["nickname"] == "Joon")
      _ = try await yard.a.say("mine now", in: channel)
      try await yard.a.invite(yard.b, to: yard.w)
      for (email, code) in [
        (yard.a.email, Failure.Code.mustHandOver), (yard.c.email, .notFound), ("x@example.com", .noSuchUser),
      ] {
        await #expect {
          _ = try await madang.removeMember(email: email, from: Self.builders, by: .hana)
        } throws: {
          ($0 as? Failure)?.code == code
        }
      }
      let entries = try await AuditTests.entries(world, .memberRemoved)
      #expect(entries.map(\.subject) == [yard.b.email])
      #expect(entries.first?.detail == ["workspace": "Weekend Builders", "channels": "1"])
    }
  }

  @Test("a workspace is handed over to a member, by any of its names", arguments: TestEngine.available)
  func handOver(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      await #expect {
        _ = try await madang.handOverWorkspace(Self.builders, toEmail: yard.c.email, by: .hana)
      } throws: {
        ($0 as? Failure)?.code == .notFound
      }
      let number = try await madang.handOverWorkspace(Self.builders, toEmail: yard.b.email, by: .hana).workspace.id
      #expect(try await yard.b.get(yard.w)["owner_id"]?.string == yard.b.id)
      _ = try await madang.handOverWorkspace(WorkspaceName(number.uuid.uppercased()), toEmail: yard.a.email, by: .hana)
      let last = try await madang.handOverWorkspace(WorkspaceName("\(number.number)"), toEmail: yard.a.email, by: .hana)
      #expect(last.ownerEmail == yard.a.email)
      // The last one changed nothing.
      #expect(try await AuditTests.entries(world, .workspaceHandedOver).count == 2)
      // A name that is the number of another one names neither.
      _ = try await yard.c.workspace("\(number.number)")
      await #expect { _ = try await madang.setHold(true, of: WorkspaceName("\(number.number)"), by: .hana) } throws: {
        ($0 as? Failure)?.message.contains("use its id") ?? false
      }
    }
  }

  @Test(
    "deleting an account removes all personal data, keeps its chats and frees its e-mail",
    arguments: TestEngine.available, EditionName.allCases)
  func delete(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard(through: edition)
      let channel = try await yard.b.channel("joons", in: yard.w)
      let room = try await yard.b.directMessage(with: yard.a, in: yard.w)
      for place in [channel, room] { _ = try await yard.b.say("from joon", in: place) }
      let me = edition == .january2024 ? "/v1/users/my" : "users/me"
      _ = try await yard.b.put(me, ["phone": "010-1234-5678", "nickname": "Joon Kim"])
      _ = try await yard.b.success(.PUT, "\(me)/image", .multipart([.file("image", Sample.png)]))
      await #expect { _ = try await madang.deleteAccount(email: yard.a.email, by: .hana) } throws: {
        ($0 as? Failure)?.message.contains("'Weekend Builders'") ?? false
      }
      // An attacker guesses its future name.
      _ = try await world.call(
        .POST, "users/join", key: edition.developmentKey,
        .json([
          "email": .text("deleted-\(yard.b.id)@deleted.invalid"), "password": .text(World.password), "nickname": "Sly",
        ]))
      let record = try await madang.deleteAccount(email: yard.b.email, by: .hana).record
      #expect(record.deletedAt == world.clock.now && record.sessions == 0 && record.account.coins == 0)
      #expect(try await yard.b.code(.GET, me) == "E02")
      let login = World.Body.json(["email": .text(yard.b.email), "password": .text(World.password)])
      let path = edition == .january2024 ? "/v2/users/login" : "users/login"
      #expect(try await world.call(.POST, path, key: edition.developmentKey, login).code == "E03")
      // Edition 2024-01 opens a direct message with members only.
      for place in edition == .january2024 ? [channel] : [channel, room] {
        let chat = try #require(try await yard.a.get("\(place)/chats").list?.first)
        #expect(chat["content"] == "from joon")
        #expect(chat["user"]?["nickname"]?.string == madang.settings.accounts.deletedName)
        #expect(chat["user"]?["email"]?.string?.hasSuffix("@deleted.invalid") == true)
        #expect(chat["user"]?["profileImage"] == .null)
      }
      #expect(try await yard.a.get("\(yard.w)/members").list?.count == 1)
      try await madang.removeRetiredFiles()
      #expect(try await world.hasNoFiles(in: "profiles"))
      // The log alone still knows the address, and no table else has anything of the person.
      let left = try await madang.database.read { transaction in
        try transaction.all("SELECT * FROM users WHERE id = 2") { row in
          try ["email", "email_key", "nickname", "phone"].map { try row.get($0, as: String.self) }
        }
      }
      #expect(!left.joined().contains { $0.lowercased().contains("joon") || $0.contains("010-1234-5678") })
      let coins = try await madang.database.read { try $0.coinFindings() }
      #expect(coins.isEmpty)
      await #expect { _ = try await madang.enable(email: record.account.person.email, by: .hana) } throws: {
        ($0 as? Failure)?.code == .noSuchUser
      }
      let gone = World.Body.json(["email": .text(record.account.person.email)])
      #expect(try await yard.a.code(.POST, "\(yard.w)/members", gone) == (edition == .january2024 ? "E03" : "E13"))
      await #expect {
        _ = try await madang.giveCoins(5, email: record.account.person.email, note: "x", by: .hana)
      } throws: {
        ($0 as? Failure)?.code == .noSuchUser
      }
      let new = try await world.signUp("Joon", through: edition)
      #expect(new.id != yard.b.id)
      #expect(try await AuditTests.entries(world, .accountDeleted).map(\.subject) == [yard.b.email])
      #expect(try await RetentionTests.findings(world) == [])
    }
  }

  @Test("an archive beyond 4 GiB stores the offsets of its entries in 64 bits")
  func largeArchive() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).zip")
    defer { try? FileManager.default.removeItem(at: url) }
    let before: UInt64 = 5 << 30
    var zip = try ZipFile(url, offset: before)
    try zip.add("a", [1, 2, 3], at: 0)
    try zip.finish()
    let bytes = [UInt8](try Data(contentsOf: url))
    let place = withUnsafeBytes(of: before.littleEndian, Array.init)
    // Behind the entry's name in the list, and in the end's record.
    #expect(bytes.indices.dropLast(12).contains { bytes[$0...].starts(with: [1, 0, 8, 0] + place) })
    #expect(bytes.indices.dropLast(4).contains { bytes[$0...].starts(with: [0x50, 0x4b, 0x06, 0x06]) })
  }

  @Test("a moderated chat keeps its place with a notice and loses its files", arguments: TestEngine.available)
  func moderation(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      let file = World.Part.file("files", Sample.png)
      _ = try await yard.a.success(
        .POST, "\(channel)/chats", .multipart([.text("content", "100% BAD_word"), file, file]))
      _ = try await yard.a.say("100 other words", in: channel)
      var search = ChatSearch()
      search.text = "% bad_"
      let found = try await madang.findChats(search, by: .hana)
      #expect(found.map(\.content) == ["100% BAD_word"])
      #expect(found.first?.channel == "ios" && found.first?.author == yard.a.email && found.first?.files == 2)
      search.text = ""
      search.author = yard.b.email
      #expect(try await madang.findChats(search, by: .hana).isEmpty)
      (search.author, search.workspace) = (nil, Self.builders)
      #expect(try await madang.findChats(search, by: .hana).map(\.content) == ["100% BAD_word", "100 other words"])
      let before = try await yard.a.get("\(channel)/chats").list
      try await madang.removeChat(.number(try #require(found.first).id.number), by: .hana)
      try await madang.removeRetiredFiles()
      let after = try #require(try await yard.a.get("\(channel)/chats").list)
      #expect(after.map { $0["content"]?.string } == [madang.settings.retention.removedChatText, "100 other words"])
      #expect(after.map { $0["createdAt"] } == before?.map { $0["createdAt"] })
      #expect(after.first?["files"] == [])
      #expect(try await world.hasNoFiles(in: "channelChats"))
      #expect(try await RetentionTests.findings(world) == [])
      await #expect(throws: Failure.self) { try await madang.removeChat(.uuid("no\u{0}ne"), by: .hana) }
      let entries = try await AuditTests.entries(world, .chatRemoved, .chatsSearched)
      #expect(entries.map(\.kind) == ["chatsSearched", "chatsSearched", "chatsSearched", "chatRemoved"])
      #expect(entries.first?.subject == "% bad_" && entries.last?.subject == yard.a.email)
    }
  }

  @Test(
    "an archive has all rows and files of one account, none of another, and no secret", arguments: TestEngine.available)
  func export(_ engine: TestEngine) async throws {
    try await BackupScene.place(engine) { settings, folder in
      try await World.run(settings) { (world) async throws in
        let yard = try await world.courtyard()
        let channel = try await yard.a.channel("ios", in: yard.w)
        for index in 0..<1001 where index < 2 || index % 500 == 0 {
          _ = try await yard.a.say("mine \(index)", in: channel)
        }
        _ = try await yard.a.success(.POST, "\(channel)/chats", .multipart([.file("files", Sample.pdf)]))
        _ = try await yard.b.get("\(channel)/chats")
        _ = try await yard.b.say("of another", in: channel)
      }
      let archive = folder.appending(path: "mina.zip")
      let summary = try await Administration.run(settings, logger: BackupScene.logger) { administration in
        let summary = try await administration.exportAccount("mina@example.com", to: archive)
        await #expect(throws: AdministrationError.self) {
          _ = try await administration.exportAccount("mina@example.com", to: archive)
        }
        await #expect(throws: Failure.self) {
          _ = try await administration.exportAccount("x@example.com", to: folder.appending(path: "none.zip"))
        }
        return summary
      }
      #expect(summary.chats == 5 && summary.files == 1 && summary.lost == [])
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "none.zip").path))
      let bytes = [UInt8](try Data(contentsOf: archive))
      let text = String(decoding: bytes, as: UTF8.self)
      for part in ["account.json", "chats-1.json", "coins-1.json", "mine 500", "mina@example.com", "Weekend Builders"] {
        #expect(text.contains(part), "\(part)")
      }
      for secret in ["of another", "joon@example.com", "argon2", "eyJ"] { #expect(!text.contains(secret), "\(secret)") }
      #expect(text.contains("%PDF"))
    }
  }
}
