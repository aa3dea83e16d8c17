import Foundation
import MadangAPI
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Password reset pages", .timeLimit(.minutes(5)))
struct PasswordPageTests {
  private static let publicURL = "https://chat.example.com"

  private static func settings(perAccount: Int = 5, perAddress: Int = 30) -> ServerSettings {
    var settings = World.settings(\.publicURL, publicURL)
    (settings.passwords.resets, settings.passwordResetsPerAddress) = (perAccount, perAddress)
    return settings
  }

  private static func ask(_ world: World, _ email: String) async throws -> World.Answer {
    try await world.call(.POST, "/password", key: nil, .form("email=\(email.replacing("@", with: "%40"))"))
  }

  private static func choose(_ world: World, _ code: String, _ password: String) async throws -> World.Answer {
    try await world.call(
      .POST, "/password/\(code)", key: nil, .form("password=\(password.replacing("!", with: "%21"))"))
  }

  private static func text(_ answer: World.Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

  private static func signIn(_ world: World, _ email: String, _ password: String) async throws -> Int {
    let fields: JSON = ["email": .text(email), "password": .text(password)]
    return try await world.call(.POST, "users/login", .json(fields)).status
  }

  /// The codes that an address was sent, as soon as there are so many.
  private static func codes(_ world: World, _ email: String, count: Int) async throws -> [String] {
    func mails() async throws -> [JSON] {
      try await world.call(.GET, "/_dev/mails?to=\(email)", key: nil).json.list ?? []
    }
    #expect(try await World.eventually { try await mails().count >= count })
    let found = try await mails().compactMap { mail -> String? in
      let body = mail["body"]?.string ?? ""
      return body.firstMatch(of: /https:\/\/chat.example.com\/password\/([0-9a-f]{32})\n/).map { String($0.1) }
    }
    #expect(found.count == count)
    return found
  }

  @Test(
    "after a change of the password no sign-in with the old one succeeds, also one under way",
    arguments: TestEngine.available)
  func signInsUnderWay(_ engine: TestEngine) async throws {
    var settings = World.settings
    settings.domain.passwords.cost = PasswordCost(memory: 1024, passes: 4)
    settings.callLimits.signInFailures = 0
    settings.callLimits.signInFailuresAnywhere = 0
    try await World.run(engine, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let madang = world.server.madang
      try await withThrowingTaskGroup { group in
        for _ in 0..<12 { group.addTask { _ = try await Self.signIn(world, mina.email, World.password) } }
        group.addTask { _ = try await madang.resetPassword(email: mina.email, to: "N3w-word!", by: .hana) }
        try await group.waitForAll()
      }
      #expect(try await madang.accountRecord(email: mina.email).sessions == 0)
      #expect(try await Self.signIn(world, mina.email, "N3w-word!") == 200)
    }
  }

  @Test(
    "a link opens nothing after an administrator has set a password, or disabled the account",
    arguments: TestEngine.available)
  func ended(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let madang = world.server.madang
      _ = try await Self.ask(world, mina.email)
      let first = try #require(try await Self.codes(world, mina.email, count: 1).first)
      _ = try await madang.resetPassword(email: mina.email, to: "N3w-word!", by: .hana)
      #expect(try await Self.choose(world, first, "0ther-word!").status == 404)
      _ = try await Self.ask(world, mina.email)
      let second = try #require(try await Self.codes(world, mina.email, count: 2).first { $0 != first })
      _ = try await madang.disable(email: mina.email, by: .hana)
      _ = try await madang.enable(email: mina.email, by: .hana)
      #expect(try await Self.choose(world, second, "0ther-word!").status == 404)
      #expect(try await Self.signIn(world, mina.email, "N3w-word!") == 200)
    }
  }

  @Test("a link to reset a password works once", arguments: TestEngine.available)
  func reset(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let email = "mina@example.com"
      #expect(try await mina.call(.GET, "users/me").json["email"]?.string?.lowercased() == email)
      let form = try await world.call(.GET, "/password", key: nil)
      #expect(form.status == 200 && Self.text(form).contains("name=\"email\"") && !Self.text(form).contains("<script"))
      let known = try await Self.ask(world, "MINA@example.com")
      let unknown = try await Self.ask(world, "nobody@example.com")
      #expect(known.status == 200 && known.body == unknown.body)
      let code = try #require(try await Self.codes(world, email, count: 1).first)

      // Programs that look at mails follow links.
      for _ in 0..<3 {
        let head = try await world.call(.HEAD, "/password/\(code)", key: nil)
        #expect(head.status == 200 && head.body.isEmpty && head.headers["Cache-Control"] == ["no-store"])
        #expect(try await world.call(.HEAD, "/password", key: nil).status == 200)
        let page = try await world.call(.GET, "/password/\(code)", key: nil)
        #expect(page.status == 200 && Self.text(page).contains("name=\"password\"") && !Self.text(page).contains(code))
        #expect(page.headers["Referrer-Policy"] == ["strict-origin"] && page.headers["Cache-Control"] == ["no-store"])
      }
      let weak = try await Self.choose(world, code, "short")
      #expect(weak.status == 400 && Self.text(weak).contains("name=\"password\""))
      for common in [World.password, "Qwer1234!", "P@ssw0rd123!", "1q2w3e4r!Q", "Dkssud12!"] {
        let refused = try await Self.choose(world, code, common)
        #expect(refused.status == 400 && Self.text(refused).contains("name=\"password\""), "\(common)")
      }
      #expect(try await mina.call(.GET, "users/me").status == 200)
      #expect(try await Self.choose(world, code, "0therPass!").status == 200)
      #expect(try await Self.choose(world, code, "Th1rdPass!").status == 404)
      #expect(try await world.call(.GET, "/password/\(code)", key: nil).status == 404)

      #expect(try await mina.call(.GET, "users/me").status == 400)
      #expect(try await Self.signIn(world, email, World.password) == 400)
      #expect(try await Self.signIn(world, email, "0therPass!") == 200)
      let mails = try await world.call(.GET, "/_dev/mails", key: nil).json.list
      #expect(mails?.count { $0["kind"]?.string == "passwordReset" } == 1)
      let entries = try await AuditTests.entries(world, .passwordResetSent, .passwordChanged)
      #expect(entries.map(\.actor) == ["stranger", "account 1"] && entries.last?.detail["by"] == "mail")
      #expect(entries.allSatisfy { $0.origin.address == "127.0.0.1" })
      #expect(!entries.map { String(reflecting: $0) }.joined().contains(code))
    }
  }

  @Test("using a link drops the waiting mails with other links", arguments: TestEngine.available)
  func unsentLinks(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let (mina, madang) = (try await world.signUp("Mina"), world.server.madang)
      _ = try await Self.ask(world, mina.email)
      let code = try #require(try await Self.codes(world, mina.email, count: 1).first)
      try await madang.database.write { transaction in
        for (kind, to) in [("passwordReset", mina.email), ("test", mina.email), ("passwordReset", "joon@example.com")] {
          // Claimed, so that the server leaves them.
          try transaction.execute(
            """
            INSERT INTO mails (kind, recipient, subject, body, created_at, expires_at, attempts, next_at)
            VALUES (\(kind), \(to), 'S', 'B', 1, 9000000000000, 1, \(sql: madang.claimTime) + 3600000)
            """)
        }
      }
      #expect(try await Self.choose(world, code, "0therPass!").status == 200)
      let left = try await madang.database.read { transaction in
        try transaction.all("SELECT kind, recipient FROM mails ORDER BY id") {
          "\(try $0.get("kind", as: String.self)) \(try $0.get("recipient", as: String.self))"
        }
      }
      #expect(left == ["test \(mina.email)", "passwordReset joon@example.com"])
    }
  }

  @Test(
    "a link ends after 30 minutes, with its account, or when another was used", arguments: TestEngine.available)
  func ends(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      _ = try await world.signUp("Mina")
      let email = "mina@example.com"
      for count in 1...2 {
        #expect(try await Self.ask(world, email).status == 200)
        _ = try await Self.codes(world, email, count: count)
      }
      let codes = try await Self.codes(world, email, count: 2)
      #expect(Set(codes).count == 2)
      #expect(try await Self.choose(world, codes[0], "0therPass!").status == 200)
      #expect(try await Self.choose(world, codes[1], "Th1rdPass!").status == 404)
      #expect(try await Self.ask(world, email).status == 200)
      let third = try await Self.codes(world, email, count: 3)[2]
      world.clock.advance(milliseconds: 30 * 60_000 - 1)
      #expect(try await world.call(.GET, "/password/\(third)", key: nil).status == 200)
      world.clock.advance(milliseconds: 1)
      #expect(try await Self.choose(world, third, "Th1rdPass!").status == 404)
      #expect(try await Self.ask(world, email).status == 200)
      let fourth = try await Self.codes(world, email, count: 4)[3]
      _ = try await world.server.madang.disable(email: email, by: .hana)
      #expect(try await Self.choose(world, fourth, "Th1rdPass!").status == 404)
      for code in ["x", String(repeating: "0", count: 32), "%27--"] {
        #expect(try await Self.choose(world, code, "Th1rdPass!").status == 404)
      }
    }
  }

  @Test("one of several parallel uses of a link succeeds", arguments: TestEngine.available)
  func race(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      _ = try await world.signUp("Mina")
      _ = try await Self.ask(world, "mina@example.com")
      let code = try #require(try await Self.codes(world, "mina@example.com", count: 1).first)
      let results = try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<8 { group.addTask { try await Self.choose(world, code, "G4rden-path\(index)").status } }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(results.sorted() == [200] + Array(repeating: 404, count: 7))
    }
  }

  @Test(
    "links are limited for each account and address, and accounts without a password get none",
    arguments: TestEngine.available)
  func limits(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(perAccount: 2, perAddress: 5)) { (world) async throws in
      _ = try await world.signUp("Mina")
      _ = try await world.signUp("Joon")
      let token = try await world.socialToken("kakao", "1", "sora@example.com", nickname: "Sora")
      #expect(try await world.call(.POST, "users/login/kakao", .json(["oauthToken": .text(token)])).status == 200)
      #expect(try await Self.ask(world, "sora@example.com").status == 200)
      for _ in 0..<3 { #expect(try await Self.ask(world, "mina@example.com").status == 200) }
      // Requests are dealt with one after the other: when this one was, so were those before.
      #expect(try await Self.ask(world, "joon@example.com").status == 200)
      _ = try await Self.codes(world, "joon@example.com", count: 1)
      _ = try await Self.codes(world, "mina@example.com", count: 2)
      _ = try await Self.codes(world, "sora@example.com", count: 0)
      let refused = try await Self.ask(world, "joon@example.com")
      #expect(refused.status == 429 && refused.headers["Retry-After"].first.flatMap { Int($0) } ?? 0 > 3000)
      world.clock.advance(milliseconds: 3_600_000)
      #expect(try await Self.ask(world, "mina@example.com").status == 200)
      _ = try await Self.codes(world, "mina@example.com", count: 3)
      try await world.server.madang.forgetLinks()
      let left: Int = try await world.server.madang.database.read { transaction in
        try transaction.one("SELECT COUNT(*) AS number FROM password_resets") { try $0.get("number") }
      }
      #expect(left == 1)
    }
  }

  @Test("without a public URL there is no page for passwords")
  func absent() async throws {
    try await World.run(.sqlite) { (world) async throws in
      #expect(try await world.call(.GET, "/password", key: nil).code == "E01")
      #expect(try await Self.ask(world, "mina@example.com").code == "E01")
    }
    try await World.run(.sqlite, settings: Self.settings()) { (world) async throws in
      #expect(try await world.call(.PUT, "/password", key: nil).code == "E01")
      #expect(try await world.call(.GET, "/password/x/y", key: nil).code == "E01")
    }
  }
}
