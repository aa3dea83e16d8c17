import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Audit log", .timeLimit(.minutes(5)))
struct AuditTests {
  /// All entries, the oldest first.
  static func entries(_ world: World, _ kinds: AuditKind..., of email: String? = nil) async throws -> [AuditRecord] {
    var filter = AuditFilter()
    (filter.kinds, filter.email) = (kinds, email)
    return try await world.server.madang.audit(filter, limit: 100_000)
  }

  static func wrongSignIn(_ world: World, _ email: String) async throws {
    let fields: JSON = ["email": .text(email), "password": "Wrong1!pass"]
    #expect(try await world.call(.POST, "users/login", .json(fields)).code == "E03")
  }

  @Test(
    "each sign-up, sign-in and sign-out has an audit entry with address, edition and session",
    arguments: TestEngine.available)
  func signIns(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      _ = try await world.signIn(mina, through: .january2024)
      _ = try await mina.call(.GET, "users/logout")
      // The session is over; nothing happens a second time.
      _ = try await mina.call(.GET, "users/logout")
      let apple = try await world.socialToken("apple", "7", "sora@example.com")
      for _ in 0..<2 {
        let fields: JSON = ["idToken": .text(apple), "nickname": "Sora"]
        #expect(try await world.call(.POST, "users/login/apple", .json(fields)).status == 200)
      }
      let entries = try await Self.entries(world)
      #expect(entries.map(\.kind) == ["signUp", "signIn", "signOut", "signUp", "signIn"])
      #expect(entries.map(\.origin.edition) == ["2024-10", "2024-01", "2024-10", "2024-10", "2024-10"])
      #expect(entries.allSatisfy { $0.origin.address == "127.0.0.1" && $0.detail["session"] != nil })
      #expect(entries.map(\.actor) == ["account 1", "account 1", "account 1", "account 2", "account 2"])
      #expect(entries.map(\.account) == [1, 1, 1, 2, 2])
      #expect(Set(entries.map(\.subject)) == [mina.email, "sora@example.com"])
      #expect(entries.map { $0.detail["by"] } == ["password", "password", nil, "apple", "apple"])
      #expect(try await Self.entries(world, of: "MINA@example.com").count == 3)
    }
  }

  @Test("chats and refused calls have no audit entry", arguments: TestEngine.available)
  func nothing(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      for index in 0..<5 { _ = try await mina.say("\(index)", in: channel) }
      let again: JSON = ["email": .text(mina.email), "password": .text(World.password), "nickname": "Mina"]
      #expect(try await world.call(.POST, "users/join", .json(again)).code == "E12")
      #expect(try await Self.entries(world).map(\.kind) == ["signUp"])
    }
  }

  @Test(
    "failed sign-ins have audit entries under the account's e-mail, without secrets",
    arguments: TestEngine.available)
  func refused(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      try await Self.wrongSignIn(world, "MINA@example.com")
      try await Self.wrongSignIn(world, "nobody@example.com")
      let token: JSON = ["oauthToken": "a-token-nobody-knows"]
      #expect(try await world.call(.POST, "users/login/kakao", .json(token)).code == "E03")
      #expect(try await World.eventually { try await Self.entries(world, .signInRefused).count == 3 })
      let entries = try await Self.entries(world, .signInRefused)
      #expect(Set(entries.map(\.subject)) == [mina.email, "nobody@example.com", ""])
      #expect(entries.allSatisfy { $0.actor == "stranger" && $0.detail["why"]?.isEmpty == false })
      #expect(entries.first { $0.account == 1 }?.subject == mina.email)
      let all = try await Self.entries(world).map { String(reflecting: $0) }.joined()
      for secret in [mina.token, mina.refreshToken, World.password, "Wrong1!pass", "a-token-nobody-knows"] {
        #expect(!all.contains(secret))
      }
      #expect(try await Self.entries(world, .signInRefused, of: "nobody@example.com").count == 1)
    }
  }

  @Test("beyond a limit per minute, one audit entry counts the failed sign-ins", arguments: TestEngine.available)
  func budget(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.auditSinks.refusalsPerMinute, 3)) { (world) async throws in
      for index in 0..<8 { try await Self.wrongSignIn(world, "p\(index)@example.com") }
      #expect(try await World.eventually { try await Self.entries(world, .signInRefused).count == 3 })
      world.clock.advance(milliseconds: 60_000)
      #expect(try await World.eventually { try await Self.entries(world, .signInRefused).count == 4 })
      #expect(try await Self.entries(world, .signInRefused).last?.detail == ["leftOut": "5"])
      try await Self.wrongSignIn(world, "later@example.com")
      #expect(try await World.eventually { try await Self.entries(world, .signInRefused).count == 5 })
    }
  }

  @Test("audit entries that wait at a stop are written", arguments: TestEngine.available)
  func lastWords(_ engine: TestEngine) async throws {
    try await BackupScene.place(engine) { settings, _ in
      var settings = settings
      settings.auditSinks.refusalsPerMinute = 1
      try await World.run(settings) { world in
        for index in 0..<3 { try await Self.wrongSignIn(world, "p\(index)@example.com") }
      }
      let entries = try await Administration.run(settings, logger: BackupScene.logger) { try await $0.audit(.init()) }
      #expect(entries.map(\.detail.texts["leftOut"]) == [nil, "2"])
    }
  }

  @Test("a backup that a wrong clock dated ahead does not count as the newest", arguments: TestEngine.available)
  func ahead(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let now = madang.clock.now
      world.clock.set(now + 20 * 86_400_000)
      try await madang.audit(.backupMade, subject: "there", detail: [:], by: .hana)
      world.clock.set(now)
      #expect(try await madang.latestAudit(of: .backupMade) == nil)
    }
  }

  @Test(
    "old audit entries are deleted, except the newest backup's; failed sign-ins beyond a number, oldest first",
    arguments: TestEngine.available)
  func retention(_ engine: TestEngine) async throws {
    var settings = World.settings
    (settings.audit.days, settings.audit.refusals) = (10, 2)
    try await World.run(engine, settings: settings) { (world) async throws in
      let (madang, day) = (world.server.madang, Int64(24 * 3_600_000))
      _ = try await world.signUp("Mina")
      for place in ["one", "two"] { try await madang.audit(.backupMade, subject: place, detail: [:], by: .hana) }
      world.clock.advance(milliseconds: 9 * day)
      _ = try await world.signUp("Joon")
      let origin = Origin(edition: "2024-10", address: "192.0.2.1")
      let refused = (0..<5).map {
        RefusedSignIn(time: world.clock.now, emailKey: "p\($0)@example.com", origin: origin, reason: "wrong")
      }
      try await madang.audit(refused, leftOut: 0)
      // At once, as a server does whose turn it is not any more: none may delete what another has left.
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 { group.addTask { try await madang.forgetAudit() } }
        try await group.waitForAll()
      }
      #expect(
        try await Self.entries(world, .signInRefused).map(\.subject).sorted() == ["p3@example.com", "p4@example.com"])
      #expect(try await Self.entries(world, .signUp).count == 2)
      world.clock.advance(milliseconds: 2 * day)
      try await madang.forgetAudit()
      #expect(try await Self.entries(world, .signUp).map(\.subject) == ["joon@example.com"])
      #expect(try await Self.entries(world, .backupMade).map(\.subject) == ["two"])
    }
  }

  @Test("a detail of an audit entry is cut to its limit")
  func bounds() {
    let long = Dictionary(
      uniqueKeysWithValues: (0..<100).map { ("name\($0)", String(repeating: "\u{1}\"", count: 500)) })
    let detail = AuditDetail(long)
    #expect(detail.json.utf8.count <= AuditDetail.maxSize)
    let texts = AuditDetail.texts(detail.json)
    #expect(!texts.isEmpty && texts.values.allSatisfy { $0.count == AuditDetail.maxText })
    #expect(AuditDetail.texts("[1]").isEmpty && AuditDetail.texts("").isEmpty)
    let odd = ["a": "{[\"\\", "b": "]}[[{{"]
    #expect(AuditDetail.texts(AuditDetail(odd).json) == odd)
    // A decoder would end the process.
    #expect(AuditDetail.texts(#"{"a":"# + String(repeating: "[", count: 2000)).isEmpty)
  }
}
