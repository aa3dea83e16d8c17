import Foundation
import MadangAPI
import NIOHTTP1
import SocketIOSupport
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Read-only mode", .timeLimit(.minutes(5)))
struct ReadOnlyTests {
  /// Everything that people have in a database, as text.
  private static func content(_ world: World) async throws -> [String] {
    let tables = [
      "users", "workspaces", "workspace_members", "rooms", "channels", "channel_members", "direct_messages", "chats",
      "files",
      "chat_files", "payments", "coin_entries", "payment_claims", "invitations", "password_resets", "mails",
      "file_removals",
    ]
    return try await world.server.madang.database.read { transaction in
      try tables.map { table in
        var rows = 0
        try transaction.forEach("SELECT * FROM \(raw: table)") { _ in rows += 1 }
        return "\(table) \(rows)"
      }
    }
  }

  @Test(
    "read-only mode answers writes with E99 in both editions; reading and sign-in go on",
    arguments: TestEngine.available)
  func people(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      let (a, b) = (yard.a, yard.b)
      let channel = try await a.channel("ios", in: yard.w)
      let room = try await a.directMessage(with: b, in: yard.w)
      _ = try await a.say("before", in: channel)
      _ = try await a.say("before", in: room)
      let files = try await world.files(in: "channelChats")
      let mode = try await madang.beginReadOnlyMode(reason: "a new disk", by: .hana)
      #expect(mode == ReadOnlyMode(since: world.clock.now, reason: "a new disk"))
      let before = try await Self.content(world)

      let attempts: [(HTTPMethod, String, World.Body)] = [
        (.POST, "\(channel)/chats", .json(["content": "no"])), (.POST, "\(room)/chats", .json(["content": "no"])),
        (.POST, "\(channel)/chats", .multipart([.file("files", Sample.png)])),
        (.POST, "workspaces", .json(["name": "Another"])), (.POST, "\(yard.w)/channels", .json(["name": "android"])),
        (.POST, "\(yard.w)/members", .json(["email": .text(yard.c.email)])), (.PUT, channel, .json(["name": "other"])),
        (.PUT, "users/me", .json(["nickname": "Other"])),
        (.PUT, "users/me/image", .multipart([.file("image", Sample.png)])), (.DELETE, channel, .none),
        (.DELETE, yard.w, .none),
      ]
      for (method, path, body) in attempts {
        let answer = try await a.call(method, path, body)
        #expect(answer.code == "E99" && answer.status == 500, "\(method) \(path)")
      }
      let draft: JSON = [
        "email": "new@example.com", "password": "Passw0rd!", "nickname": "New", "phone": "010-1234-5678",
      ]
      #expect(try await world.call(.POST, "users/join", .json(draft)).code == "E99")
      let token = try await world.socialToken("kakao", "k-1", "kakao@example.com", nickname: "K")
      let social = try await world.call(.POST, "users/login/kakao", .json(["oauthToken": .text(token)]))
      #expect(social.code == "E99")

      // A person outside the channel reads it without joining.
      #expect(try await b.get("\(channel)/chats").list?.map { $0["content"]?.string } == ["before"])
      #expect(try await b.get("\(room)/chats").list?.count == 1)
      #expect(try await b.get("workspaces").list?.count == 1)
      let again = try await world.signIn(b, through: .october2024)
      let old = try await world.signIn(a, through: .january2024)
      #expect(try await old.code(.POST, "workspaces", .json(["name": "Another"])) == "E99")
      let refreshed = try await world.call(
        .GET, "auth/refresh", headers: [("RefreshToken", again.refreshToken), ("Authorization", again.token)])
      #expect(refreshed.status == 200)
      #expect(try await again.call(.POST, "users/deviceToken", .json(["deviceToken": "d"])).status == 200)
      #expect(try await again.call(.GET, "users/logout").status == 200)
      #expect(try await again.code(.GET, "users/me") == "E02")
      #expect(try await Self.content(world) == before)
      #expect(try await world.files(in: "channelChats") == files)

      #expect(try await madang.endReadOnlyMode(by: .hana) == mode)
      #expect(try await madang.endReadOnlyMode(by: .hana) == nil)
      _ = try await a.say("after", in: channel)
      #expect(try await b.get("\(channel)/chats").list?.count == 2)
      _ = try await b.say("me, too", in: channel)
      let entries = try await AuditTests.entries(world, .readOnlyBegan, .readOnlyEnded)
      #expect(entries.map(\.kind) == ["readOnlyBegan", "readOnlyEnded"])
      #expect(entries.first?.detail["reason"] == "a new disk")
    }
  }

  @Test(
    "no chat is committed once read-only mode is on, even while many people post, at two servers of a database",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func servers(_ engine: TestEngine) async throws {
    try await World.pair(engine, settings: World.settings(\.callLimits.requests, 0)) { first, second in
      let yard = try await first.courtyard()
      let channels = [
        try await yard.a.channel("one", in: yard.w), try await yard.a.channel("two", in: yard.w),
        try await yard.a.channel("three", in: yard.w),
      ]
      try await Self.post(yard.a, at: [first, second], channels)
    }
  }

  @Test("no chat is committed once read-only mode is on, even while many people post")
  func posts() async throws {
    try await World.run(.sqlite, settings: World.settings(\.callLimits.requests, 0)) { (world) async throws in
      let yard = try await world.courtyard()
      let channels = [try await yard.a.channel("one", in: yard.w), try await yard.a.channel("two", in: yard.w)]
      try await Self.post(yard.a, at: [world], channels)
    }
  }

  private static func post(_ person: TestPerson, at worlds: [World], _ channels: [String]) async throws {
    let madang = worlds[0].server.madang
    let posted = AsyncStream<Void>.makeStream()
    let acknowledged = try await withThrowingTaskGroup(of: Int.self) { group in
      for n in 0..<16 {
        group.addTask {
          let caller = person.at(worlds[n % worlds.count])
          var count = 0
          while true {
            let answer = try await caller.call(.POST, "\(channels[n % channels.count])/chats", .json(["content": "x"]))
            posted.continuation.yield()
            guard answer.status == 200 else {
              #expect(answer.code == "E99")
              return count
            }
            count += 1
          }
        }
      }
      var arrivals = posted.stream.makeAsyncIterator()
      for _ in 0..<60 { await arrivals.next() }
      _ = try await madang.beginReadOnlyMode(reason: "", by: .hana)
      let count = try await madang.statistics().chats
      let acknowledged = try await group.reduce(0, +)
      #expect(try await madang.statistics().chats == count)
      return acknowledged
    }
    #expect(try await madang.statistics().chats == acknowledged)
  }

  @Test(
    "in read-only mode an administrator ends sessions, disables accounts and revokes keys, but changes no content",
    arguments: TestEngine.available)
  func administration(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      _ = try await madang.beginReadOnlyMode(reason: "", by: .hana)
      #expect(try await madang.endSessions(email: yard.c.email, by: .hana) == 1)
      #expect(try await madang.disable(email: yard.b.email, by: .hana).disabledAt != nil)
      #expect(try await madang.enable(email: yard.b.email, by: .hana).disabledAt == nil)
      #expect(try await yard.b.code(.GET, "users/me") == "E02")
      let refused =
        [
          { _ = try await madang.giveCoins(1, email: yard.a.email, note: "n", by: .hana) },
          { _ = try await madang.removeMember(email: yard.b.email, from: WorkspaceName("1"), by: .hana) },
          { _ = try await madang.setHold(true, of: WorkspaceName("1"), by: .hana) },
          { _ = try await madang.createKey(edition: "2024-10", label: "n", by: .hana) },
          { _ = try await madang.invite(email: "n@example.com", days: 1, by: .hana) },
        ] as [@Sendable () async throws -> Void]
      for body in refused {
        do {
          try await body()
          Issue.record("it was not refused")
        } catch let error as StorageError { #expect(error.code == .writesStopped) }
      }
      await #expect(throws: Failure.self) {
        _ = try await madang.beginReadOnlyMode(reason: String(repeating: "x", count: 201), by: .hana)
      }
    }
  }

  @Test(
    "a payment is E81 in read-only mode and is credited afterwards",
    arguments: TestEngine.available)
  func payments(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let a = try await world.signUp("Mina")
      let id = try await world.payment("m-1", 100)
      let payment: JSON = ["imp_uid": .text(id), "merchant_uid": "m-1"]
      _ = try await madang.beginReadOnlyMode(reason: "", by: .hana)
      #expect(try await a.code(.POST, "store/pay/validation", .json(payment)) == "E81")
      _ = try await madang.endReadOnlyMode(by: .hana)
      #expect(try await a.code(.POST, "store/pay/validation", .json(payment)) == nil)
    }
  }

  @Test(
    "a backup that was made in read-only mode is restored to a database that takes writes",
    arguments: TestEngine.available)
  func restored(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      _ = try await Administration.run(scene.settings, logger: BackupScene.logger) {
        try await $0.beginReadOnlyMode(reason: "a move")
      }
      _ = try await scene.backUp()
      try await scene.elsewhere(engine) { target in
        try await scene.restore(to: target)
        try await scene.serve(target) { world in
          #expect(try await world.server.madang.readOnlyMode() == nil)
          _ = try await world.signUp("New")
        }
      }
    }
  }

  @Test(
    "in read-only mode retention deletes nothing, and metrics and log show the mode",
    arguments: TestEngine.available)
  func housekeeping(_ engine: TestEngine) async throws {
    let log = LogRecorder()
    try await World.run(engine, settings: World.settings(\.retention.chatDays, 1), logger: log.logger) {
      (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      _ = try await yard.a.say("old", in: channel)
      _ = try await madang.beginReadOnlyMode(reason: "a new disk", by: .hana)
      world.clock.advance(milliseconds: 3 * 24 * 3_600_000)
      do {
        _ = try await madang.deleteExpired()
        Issue.record("chats were deleted")
      } catch let error as StorageError { #expect(error.code == .writesStopped) }
      #expect(try await madang.statistics().chats == 1)
      // Housekeeping's next turn.
      world.clock.advance(milliseconds: 10_000)
      let isTold = try await World.eventually {
        let page = String(decoding: try await world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
        return page.contains("\nmadang_read_only 1\n")
      }
      #expect(isTold)
      // The metric changes before the line is written.
      #expect(
        try await World.eventually {
          log.lines.contains { $0.contains("in read-only mode") && $0.contains("reason=a new disk") }
        })
      _ = try await madang.endReadOnlyMode(by: .hana)
      world.clock.advance(milliseconds: 10_000)
      #expect(try await World.eventually { log.lines.contains("read-only mode has ended") })
    }
  }
}
