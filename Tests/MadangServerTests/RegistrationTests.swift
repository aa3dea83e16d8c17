import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Registration", .timeLimit(.minutes(5)))
struct RegistrationTests {
  static func settings(_ mode: Registration) -> ServerSettings {
    var settings = World.settings
    settings.registration.mode = mode
    settings.registration.domains = ["campus.example"]
    return settings
  }

  static func join(
    _ world: World, _ email: String, password: String = World.password, key: String = DevelopmentKey.october2024
  ) async throws -> World.Answer {
    let fields: JSON = ["email": .text(email), "password": .text(password), "nickname": "Somebody"]
    return try await world.call(.POST, "users/join", key: key, .json(fields))
  }

  /// How each way to make an account answers an address: by its code, or 200.
  private func answers(_ world: World, _ email: String, _ edition: EditionName) async throws -> [String: String] {
    let key = edition.developmentKey
    func result(_ answer: World.Answer) -> String { answer.code ?? "\(answer.status)" }
    var results: [String: String] = [:]
    results["validateEmail"] = result(
      try await world.call(.POST, "users/validation/email", key: key, .json(["email": .text(email)])))
    let parts = email.split(separator: "@")
    func other(_ name: String) -> String { "\(parts[0])-\(name)@\(parts[1])" }
    results["signUp"] = result(try await Self.join(world, email, key: key))
    for (provider, field) in [("apple", "idToken"), ("kakao", "oauthToken")] {
      let email = other(provider)
      let token = try await world.socialToken(provider, email, email, nickname: "Somebody")
      let fields: JSON = [field: .text(token), "nickname": "Somebody"]
      results["signInWith\(provider.capitalized)"] = result(
        try await world.call(.POST, "users/login/\(provider)", key: key, .json(fields)))
    }
    return results
  }

  @Test(
    "every way to make an account answers as docs/reference/authorisation.md says", arguments: TestEngine.available,
    EditionName.allCases)
  func documented(_ engine: TestEngine, _ edition: EditionName) async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/reference/authorisation.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("Making an account\n") })
    let lines = section.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    try #require(lines.first == ["registration", "anybody", "of a domain", "invited"])
    #expect(lines.dropFirst(2).map { $0[0] } == Registration.allCases.map(\.rawValue))
    for line in lines.dropFirst(2) {
      let mode = try #require(Registration(rawValue: line[0]))
      try await World.run(engine, settings: Self.settings(mode)) { (world) async throws in
        for email in ["invited@example.com", "invited-apple@example.com", "invited-kakao@example.com"] {
          _ = try await world.server.madang.invite(email: email.uppercased(), days: 1, by: .hana)
        }
        let people = ["anybody@sub.campus.example", "student@Campus.Example", "invited@example.com"]
        for (email, expected) in zip(people, line.dropFirst()) {
          let answers = try await answers(world, email, edition)
          #expect(answers.count == 4 && Set(answers.values) == [expected], "\(mode) \(email): \(answers)")
        }
      }
    }
  }

  @Test("an existing account signs in, whatever the registration setting", arguments: TestEngine.available)
  func present(_ engine: TestEngine) async throws {
    try await BackupScene.place(engine) { settings, _ in
      try await World.run(settings) { world in
        _ = try await world.signUp("Mina")
        let apple = try await world.socialToken("apple", "7", "sora@example.com")
        let fields: JSON = ["idToken": .text(apple), "nickname": "Sora"]
        #expect(try await world.call(.POST, "users/login/apple", .json(fields)).status == 200)
      }
      var settings = settings
      settings.registration.mode = .closed
      try await World.run(settings) { world in
        let fields: JSON = ["email": "mina@example.com", "password": .text(World.password)]
        #expect(try await world.call(.POST, "users/login", .json(fields)).status == 200)
        let apple = try await world.socialToken("apple", "7", "sora@example.com")
        #expect(try await world.call(.POST, "users/login/apple", .json(["idToken": .text(apple)])).status == 200)
        #expect(try await Self.join(world, "mina@example.com").code == "E12")
        let refused = try await Self.join(world, "joon@example.com")
        #expect(refused.code == "E11")
        #expect(refused.headers["X-Madang-Explanation"].first?.contains("registration is 'closed'") == true)
        #expect(refused.headers["X-Madang-Reason"].first?.contains("registration is 'closed'") == true)
        #expect(try await World.eventually { try await AuditTests.entries(world, .signUpRefused).count == 1 })
        #expect(try await AuditTests.entries(world, .signUpRefused).first?.subject == "joon@example.com")
      }
    }
  }

  @Test("a refused sign-up hashes no password")
  func refusedUnhashed() async throws {
    try await World.run(.sqlite, settings: Self.settings(.closed)) { (world) async throws in
      let (ours, noThreads) = (world.server.madang, WorkerPool(name: "none", threads: 1, queueLimit: 1))
      noThreads.shutdown()
      let madang = Madang(
        database: ours.database, clock: ours.clock, ids: ours.ids, files: ours.files, settings: ours.settings,
        hashing: noThreads, logger: ours.logger, announce: { _ in })
      let draft = SignUp(
        email: "mina@example.com", password: World.password, nickname: "Mina", phone: nil, deviceToken: nil)
      let error = await #expect(throws: Failure.self) {
        _ = try await madang.signUp(draft, from: Origin(edition: "2024-10", address: "127.0.0.1"), turn: "")
      }
      #expect(error?.code == .notAdmitted)
    }
  }

  @Test(
    "parallel first sign-ins of one invited person all get the same account",
    arguments: TestEngine.available)
  func parallelInvited(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(.invite)) { (world) async throws in
      _ = try await world.server.madang.invite(email: "mina@example.com", days: 1, by: .hana)
      let token = try await world.socialToken("kakao", "1", "mina@example.com", nickname: "Mina")
      let ids = try await withThrowingTaskGroup(of: JSON?.self) { group in
        for _ in 0..<20 {
          group.addTask {
            try await SocialSignInTests.signIn(world, "kakao", ["oauthToken": .text(token)]).json["user_id"]
          }
        }
        return try await group.reduce(into: []) { $0.append($1?.string) }
      }
      #expect(ids.count == 20 && Set(ids).count == 1 && ids[0] != nil)
    }
  }

  @Test("an invitation makes one account, within its time, unless it is revoked", arguments: TestEngine.available)
  func once(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(.invite)) { (world) async throws in
      let madang = world.server.madang
      let invitation = try await madang.invite(email: "mina@example.com", days: 2, by: .hana).invitation
      // A refusal for another reason does not use up the invitation.
      #expect(try await Self.join(world, "mina@example.com", password: "weak").code == "E11")
      #expect(try await Self.join(world, "Mina@Example.com").status == 200)
      #expect(try await madang.invitations(after: nil, limit: 10).elements.map(\.usesLeft) == [0])
      #expect(try await AuditTests.entries(world, .signUp).first?.detail["invitation"] == "\(invitation.id)")
      await #expect(throws: Failure.self) { try await madang.invite(email: "mina@example.com", days: 1, by: .hana) }
      await #expect(throws: Failure.self) { try await madang.invite(email: "nobody", days: 1, by: .hana) }
      await #expect(throws: Failure.self) { try await madang.invite(email: "x@example.com", days: 0, by: .hana) }

      let revoked = try await madang.invite(email: "joon@example.com", days: 2, by: .hana).invitation
      _ = try await madang.revokeInvitation(revoked.id, by: .hana)
      #expect(try await Self.join(world, "joon@example.com").code == "E11")
      await #expect(throws: Failure.self) { try await madang.revokeInvitation(revoked.id, by: .hana) }

      _ = try await madang.invite(email: "sora@example.com", days: 2, by: .hana)
      world.clock.advance(milliseconds: 2 * 24 * 3_600_000)
      #expect(try await Self.join(world, "sora@example.com").code == "E11")
      #expect(
        try await AuditTests.entries(world, .invitationMade, .invitationRevoked).map(\.kind)
          == ["invitationMade", "invitationMade", "invitationRevoked", "invitationMade"])
      world.clock.advance(milliseconds: 91 * 24 * 3_600_000)
      try await madang.forgetInvitations()
      #expect(try await madang.invitations(after: nil, limit: 10).elements.isEmpty)
    }
  }

  @Test("an API key may have its own registration mode", arguments: TestEngine.available)
  func keys(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(.closed)) { (world) async throws in
      let madang = world.server.madang
      let open = try await madang.createKey(edition: "2024-10", label: "open", registration: .open, by: .hana).key
      let same = try await madang.createKey(edition: "2024-10", label: "as the server", by: .hana).key
      let invite = try await madang.createKey(edition: "2024-10", label: "invite", registration: .invite, by: .hana).key
      #expect(try await Self.join(world, "a@example.com", key: open).status == 200)
      #expect(try await Self.join(world, "b@example.com", key: same).code == "E11")
      #expect(try await Self.join(world, "c@example.com", key: invite).code == "E11")
      _ = try await madang.invite(email: "c@example.com", days: 1, by: .hana)
      #expect(try await Self.join(world, "c@example.com", key: same).code == "E11")
      #expect(try await Self.join(world, "c@example.com", key: invite).status == 200)
      #expect(try await madang.keys().map(\.registration) == ["open", nil, "invite"])
    }
  }

  @Test(
    "a new API key works at once, and a revoked one ends with the next read of the keys",
    arguments: TestEngine.available)
  func newKey(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(.open)) { (world) async throws in
      let madang = world.server.madang
      let keys = world.server.service.callers.keys
      await keys.load()
      #expect(try await Self.join(world, "a@example.com", key: "no key").code == "E01")
      let made = try await madang.createKey(edition: "2024-10", label: "a new app", by: .hana)
      #expect(try await Self.join(world, "a@example.com", key: made.key).status == 200)
      _ = try await madang.revokeKey(made.record.id, by: .hana)
      await keys.load()
      #expect(try await Self.join(world, "b@example.com", key: made.key).code == "E01")
    }
  }

  @Test("unknown API keys share one read of the database", arguments: TestEngine.available)
  func unknownKeys(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(.open)) { (world) async throws in
      let keys = world.server.service.callers.keys
      await keys.load()
      let (before, began) = (keys.looks, ContinuousClock.now)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<2000 { group.addTask { _ = await keys.edition(of: "no key \(number)") } }
      }
      let most = 2 + (ContinuousClock.now - began) / KnownKeys.pause
      #expect(keys.looks > before && Double(keys.looks - before) <= most)
    }
  }

  @Test("one of several parallel sign-ups with one invitation succeeds", arguments: TestEngine.available)
  func race(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(.invite)) { (world) async throws in
      _ = try await world.server.madang.invite(email: "mina@example.com", days: 1, by: .hana)
      let results = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let answer = try await Self.join(world, "mina@example.com")
            return answer.code ?? "\(answer.status)"
          }
        }
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(results.filter { $0 == "200" }.count == 1, "\(results)")
      #expect(results.allSatisfy { ["200", "E11", "E12"].contains($0) }, "\(results)")
    }
  }

  @Test("registration settings without a domain or with a malformed address are refused")
  func problems() {
    var settings = Self.settings(.domain)
    #expect(settings.problems().isEmpty)
    settings.registration.domains = []
    #expect(settings.problems().count == 1 && settings.problems()[0].hasPrefix("registration.domains"))
    settings.registration.mode = .invite
    for url in ["chat.example.com", "https://chat.example.com/"] {
      settings.publicURL = url
      #expect(settings.problems().count == 1 && settings.problems()[0].hasPrefix("public.url"))
    }
  }
}
