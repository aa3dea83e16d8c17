import Foundation
import MadangAPI
import MadangProviders
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Waiting accounts", .timeLimit(.minutes(5)))
struct WaitingAccountsTests {
  private static let publicURL = "https://chat.example.com"
  private static let day: Int64 = 24 * 3_600_000

  private static func settings(
    _ confirmation: AddressConfirmation = .limited, approval: Bool = false, perDay: Int = 5
  ) -> ServerSettings {
    var settings = World.settings(\.publicURL, publicURL)
    (
      settings.registration.confirmation, settings.registration.needsApproval,
      settings.registration.confirmationMails
    ) = (confirmation, approval, perDay)
    return settings
  }

  private static func join(
    _ world: World, _ email: String, key: String = DevelopmentKey.october2024
  ) async throws -> World.Answer {
    try await RegistrationTests.join(world, email, key: key)
  }

  private static func signIn(_ world: World, _ email: String, _ password: String = World.password) async throws
    -> World.Answer
  {
    try await world.call(.POST, "users/login", .json(["email": .text(email), "password": .text(password)]))
  }

  private static func result(_ answer: World.Answer) -> String { answer.code ?? "\(answer.status)" }

  private static func mails(_ world: World, to email: String) async throws -> [JSON] {
    try await world.call(.GET, "/_dev/mails?to=\(email)", key: nil).json.list ?? []
  }

  /// The codes that an address was sent, as soon as there are so many.
  private static func codes(_ world: World, _ email: String, count: Int) async throws -> [String] {
    #expect(try await World.eventually { try await mails(world, to: email).count >= count })
    let found = try await mails(world, to: email).compactMap { mail -> String? in
      let body = mail["body"]?.string ?? ""
      return body.firstMatch(of: /https:\/\/chat.example.com\/confirm\/([0-9a-f]{32})\n/).map { String($0.1) }
    }
    #expect(found.count == count)
    return found
  }

  private static func ask(_ world: World, _ email: String) async throws -> World.Answer {
    try await world.call(.POST, "/confirm", key: nil, .form("email=\(email.replacing("@", with: "%40"))"))
  }

  private static func confirm(_ world: World, _ code: String, _ password: String = World.password) async throws -> Int {
    try await world.call(.POST, "/confirm/\(code)", key: nil, form(password)).status
  }

  private static func form(_ password: String) -> World.Body {
    .form("password=\(password.replacing("!", with: "%21"))")
  }

  /// What an account may do, by its cells in docs/reference/authorisation.md.
  private static func cells(_ world: World, _ email: String, _ token: String) async throws -> [String] {
    let owner = try await world.signUp("Owner\(UUID().uuidString.prefix(6))")
    try await world.server.madang.endWaiting(of: owner.email)
    let workspace = try await owner.workspace()
    let added = try await owner.call(.POST, "\(workspace)/members", .json(["email": .text(email)]))
    let ownerOf01 = try await world.call(
      .POST, "/v2/users/login", key: DevelopmentKey.january2024,
      .json(["email": .text(owner.email), "password": .text(World.password)])
    ).json["token"]?["accessToken"]?.string
    let workspaces = try await world.call(.GET, "workspaces", token: ownerOf01, key: DevelopmentKey.january2024)
    let number = try #require(try workspaces.json[0]?["workspace_id"]?.int)
    let addedIn01 = try await world.call(
      .POST, "workspaces/\(number)/members", token: ownerOf01, key: DevelopmentKey.january2024,
      .json(["email": .text(email)]))
    let made = try await world.call(
      .POST, "workspaces", token: token, .multipart([.text("name", "place \(UUID().uuidString.prefix(8))")]))
    // Who was added by the first call is a member at the second one.
    let additions = added.status == 200 ? "200" : "\(result(added)) / \(result(addedIn01))"
    return [result(try await signIn(world, email)), result(made), additions]
  }

  @Test("a waiting account is answered as docs/reference/authorisation.md says", arguments: TestEngine.available)
  func documented(_ engine: TestEngine) async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/reference/authorisation.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("Accounts that wait\n") })
    let lines = section.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    try #require(lines.first == ["account", "signIn", "createWorkspace", "added by an owner"])
    #expect(lines.count == 8)
    for line in lines.dropFirst(2) {
      let words = line[0].components(separatedBy: ", ")
      let mode = words.count == 2 ? try #require(AddressConfirmation(rawValue: words[1])) : .off
      let settings = Self.settings(mode, approval: ["pending", "approved"].contains(words[0]))
      try await World.run(engine, settings: settings) { (world) async throws in
        let joined = try await Self.join(world, "mina@example.com")
        let token = try #require(try joined.json["token"]?["accessToken"]?.string)
        let madang = world.server.madang
        switch words[0] {
        case "confirmed": _ = try await madang.confirmAddress(of: "mina@example.com", by: .hana)
        case "approved": _ = try await madang.approveAccount(email: "mina@example.com", by: .hana)
        default: break
        }
        #expect(try await Self.cells(world, "mina@example.com", token) == Array(line.dropFirst()), "\(line[0])")
      }
    }
  }

  @Test(
    "a link confirms an address once, by its form only, and ends the account's other links",
    arguments: TestEngine.available)
  func links(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      #expect(try await Self.join(world, "mina@example.com").status == 200)
      #expect(try await Self.ask(world, "MINA@example.com").status == 200)
      let codes = try await Self.codes(world, "mina@example.com", count: 2)
      for _ in 0..<2 {
        let page = try await world.call(.GET, "/confirm/\(codes[0])", key: nil)
        #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("<form method=\"post\">"))
        #expect(page.headers["Cache-Control"] == ["no-store"] && page.headers["Referrer-Policy"] == ["strict-origin"])
      }
      let results = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 { for code in codes { group.addTask { try await Self.confirm(world, code) } } }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(results.sorted() == [200] + Array(repeating: 404, count: 7))
      #expect(try await world.server.madang.accountRecord(email: "mina@example.com").unconfirmedAt == nil)
      let entries = try await AuditTests.entries(world, .signUp, .confirmationSent, .addressConfirmed)
      #expect(entries.map(\.kind) == ["confirmationSent", "signUp", "confirmationSent", "addressConfirmed"])
      #expect(entries[1].detail["waitsFor"] == "confirmation" && entries[3].detail["by"] == "link")
      for code in ["", "x", String(repeating: "0", count: 32), "%27--"] where !code.isEmpty {
        #expect(try await Self.confirm(world, code) == 404)
      }
    }
  }

  @Test(
    "the page for another link answers every address alike, and links are limited per day",
    arguments: TestEngine.available)
  func more(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(perDay: 2)) { (world) async throws in
      _ = try await Self.join(world, "mina@example.com")
      _ = try await Self.join(world, "joon@example.com")
      // A mail that still waits is not sent once its account is confirmed.
      _ = try await Self.codes(world, "joon@example.com", count: 1)
      _ = try await world.server.madang.confirmAddress(of: "joon@example.com", by: .hana)
      var pages: Set<[UInt8]> = []
      for email in ["nobody@example.com", "joon@example.com", "mina@example.com", "mina@example.com", "no address"] {
        let page = try await Self.ask(world, email)
        #expect(page.status == 200)
        pages.insert(page.body)
      }
      #expect(pages.count == 1)
      // Requests are dealt with one after the other: when this one was, so were those before.
      _ = try await Self.join(world, "sora@example.com")
      _ = try await Self.ask(world, "sora@example.com")
      _ = try await Self.codes(world, "sora@example.com", count: 2)
      _ = try await Self.codes(world, "mina@example.com", count: 2)
      _ = try await Self.codes(world, "joon@example.com", count: 1)
      let old = try #require(try await Self.codes(world, "mina@example.com", count: 2).first)
      world.clock.advance(milliseconds: Self.day)
      #expect(try await Self.confirm(world, old) == 404)
      _ = try await Self.ask(world, "mina@example.com")
      let new = try await Self.codes(world, "mina@example.com", count: 3)
      #expect(try await Self.confirm(world, new[2]) == 200)
      try await world.server.madang.forgetLinks()
      let left: Int = try await world.server.madang.database.read { transaction in
        try transaction.one("SELECT COUNT(*) AS number FROM address_confirmations") { try $0.get("number") }
      }
      #expect(left == 0)
    }
  }

  @Test(
    "confirming an address asks for the account's password or leads to a new one",
    arguments: TestEngine.available)
  func stranger(_ engine: TestEngine) async throws {
    var settings = Self.settings()
    settings.callLimits.signInFailures = 3
    let window = settings.callLimits.signInWindow
    try await World.run(engine, settings: settings) { (world) async throws in
      let joined = try await world.call(
        .POST, "users/join",
        .json(["email": "mina@example.com", "password": .text(World.password), "nickname": "<b>Mina</b> & \"co\""]))
      #expect(joined.status == 200)
      let code = try #require(try await Self.codes(world, "mina@example.com", count: 1).first)
      let page = String(decoding: try await world.call(.GET, "/confirm/\(code)", key: nil).body, as: UTF8.self)
      #expect(
        page.contains("“\u{2068}&lt;b&gt;Mina&lt;/b&gt; &amp; &quot;co&quot;\u{2069}”")
          && page.contains("href=\"/password\""))
      let time = WireDate.string(world.clock.now).prefix(16).replacing("T", with: " ")
      #expect(page.contains("\(time) UTC") && page.contains("type=\"password\""))

      #expect(try await world.call(.POST, "/confirm/\(code)", key: nil, .form("")).status == 400)
      for _ in 0..<3 { #expect(try await Self.confirm(world, code, "Wr0ng-word!") == 403) }
      // Tries count as those of signing in do.
      #expect(try await Self.confirm(world, code) == 429)
      #expect(try await Self.signIn(world, "mina@example.com").code == "E98")
      #expect(try await world.server.madang.accountRecord(email: "mina@example.com").unconfirmedAt != nil)
      #expect(try await World.eventually { try await !AuditTests.entries(world, .signInRefused).isEmpty })
      world.clock.advance(milliseconds: window)
      #expect(try await Self.confirm(world, code) == 200)
      #expect(try await world.server.madang.accountRecord(email: "mina@example.com").unconfirmedAt == nil)
    }
  }

  @Test(
    "mails of sign-ups are limited by network address and mailbox; accounts are made all the same",
    arguments: TestEngine.available)
  func flood(_ engine: TestEngine) async throws {
    @Sendable func sent(_ world: World) async throws -> [String] {
      try await AuditTests.entries(world, .confirmationSent).compactMap(\.subject)
    }
    var settings = Self.settings()
    settings.passwordResetsPerAddress = 3
    try await World.run(engine, settings: settings) { (world) async throws in
      for name in ["a", "b", "c", "d"] { #expect(try await Self.join(world, "\(name)@example.com").status == 200) }
      #expect(try await sent(world) == ["a@example.com", "b@example.com", "c@example.com"])
      #expect(try await world.server.madang.accountRecord(email: "d@example.com").unconfirmedAt != nil)
      #expect(try await Self.ask(world, "d@example.com").status == 429)
      world.clock.advance(milliseconds: 3_600_000)
      #expect(try await Self.ask(world, "d@example.com").status == 200)
      _ = try await Self.codes(world, "d@example.com", count: 1)
    }
    try await World.run(engine, settings: Self.settings(perDay: 2)) { (world) async throws in
      for name in ["victim+1", "Victim+2", "victim+3", "victim", "other+1"] {
        #expect(try await Self.join(world, "\(name)@example.com").status == 200)
      }
      #expect(
        try await sent(world).map { $0.lowercased() }
          == ["victim+1@example.com", "victim+2@example.com", "victim@example.com", "other+1@example.com"])
    }
  }

  @Test(
    "in read-only mode the page for another link promises nothing, and a link confirms nothing",
    arguments: TestEngine.available)
  func readOnly(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      _ = try await Self.join(world, "mina@example.com")
      let code = try #require(try await Self.codes(world, "mina@example.com", count: 1).first)
      _ = try await world.server.madang.beginReadOnlyMode(reason: "", by: .hana)
      for (path, body) in [
        ("/confirm", World.Body.form("email=mina%40example.com")), ("/confirm/\(code)", Self.form(World.password)),
      ] {
        let answer = try await world.call(.POST, path, key: nil, body)
        #expect(answer.status == 503)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("accepts no changes"))
      }
      _ = try await world.server.madang.endReadOnlyMode(by: .hana)
      #expect(try await Self.confirm(world, code) == 200)
    }
  }

  @Test(
    "a verified social sign-in takes over an unconfirmed address, never a confirmed one",
    arguments: TestEngine.available)
  func squatter(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let madang = world.server.madang
      func signIn(_ provider: String, _ email: String) async throws -> World.Answer {
        let token = try await world.socialToken(provider, email, email, nickname: "Sora")
        let field = provider == "apple" ? "idToken" : "oauthToken"
        return try await world.call(.POST, "users/login/\(provider)", .json([field: .text(token), "nickname": "Sora"]))
      }
      for provider in ["apple", "kakao"] {
        let (squatted, confirmed) = ("\(provider)1@example.com", "\(provider)2@example.com")
        for email in [squatted, confirmed] { #expect(try await Self.join(world, email).status == 200) }
        _ = try await madang.confirmAddress(of: confirmed, by: .hana)
        let old = try #require(try await madang.accountNumber(email: squatted))
        #expect(try await signIn(provider, squatted).status == 200)
        #expect(try await madang.accountNumber(email: squatted) != old)
        #expect(try await madang.accountRecord(email: squatted).unconfirmedAt == nil)
        #expect(try await Self.signIn(world, squatted).code == "E03")
        #expect(try await signIn(provider, confirmed).code == "E12")
        let entry = try #require(try await AuditTests.entries(world, .accountDeleted).last)
        #expect(entry.actor == "server" && entry.detail["why"] == "address of a \(provider) account")
      }
    }
  }

  @Test("a form from another site is refused", arguments: ["cross-site", "same-site"])
  func foreign(_ site: String) async throws {
    try await World.run(.sqlite, settings: Self.settings()) { (world) async throws in
      _ = try await Self.join(world, "mina@example.com")
      let code = try #require(try await Self.codes(world, "mina@example.com", count: 1).first)
      for path in ["/confirm", "/confirm/\(code)", "/password", "/password/\(code)", "/invite/\(code)"] {
        let answer = try await world.call(
          .POST, path, key: nil, headers: [("Sec-Fetch-Site", site)], .form("email=mina%40example.com"))
        #expect(answer.status == 403, "\(path)")
      }
      let own = try await world.call(
        .POST, "/confirm/\(code)", key: nil, headers: [("Sec-Fetch-Site", "same-origin")], Self.form(World.password))
      #expect(own.status == 200)
    }
  }

  @Test(
    "where browsers send no Sec-Fetch-Site, a form from another origin, or without one, is refused",
    arguments: ["http://evil.test", "null", "http://127.0.0.1:1", "https://chat.example.com.evil.test"])
  func foreignOrigin(_ origin: String) async throws {
    try await World.run(.sqlite, settings: Self.settings()) { (world) async throws in
      func status(_ path: String, _ headers: [(String, String)]) async throws -> Int {
        try await world.call(.POST, path, key: nil, headers: headers, .form("email=mina%40example.com")).status
      }
      for path in ["/confirm", "/password", "/password/0123", "/invite/0123"] {
        #expect(try await status(path, [("Origin", origin)]) == 403, "\(path)")
      }
      for own in [world.url, "https://chat.example.com"] {
        #expect(try await status("/password", [("Origin", own)]) == 200, "\(own)")
      }
      // A browser that hides origins from its own server too.
      #expect(try await status("/password", [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")]) == 200)
    }
  }

  @Test("a nickname on the page of a link stays on its line, and turns no text around it")
  func turningNickname() async throws {
    try await World.run(.sqlite, settings: Self.settings()) { (world) async throws in
      let fields: JSON = [
        "email": "mina@example.com", "password": .text(World.password), "nickname": "\u{202e}Mi\u{2069}\u{2028}na<b>",
      ]
      #expect(try await world.call(.POST, "users/join", .json(fields)).status == 200)
      let code = try #require(try await Self.codes(world, "mina@example.com", count: 1).first)
      let page = try await world.call(.GET, "/confirm/\(code)", key: nil)
      #expect(String(decoding: page.body, as: UTF8.self).contains("“\u{2068}Mi na&lt;b&gt;\u{2069}”"))
    }
  }

  @Test(
    "a password reset by mail confirms the address",
    arguments: TestEngine.available)
  func password(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(.required)) { (world) async throws in
      _ = try await Self.join(world, "mina@example.com")
      #expect(try await Self.signIn(world, "mina@example.com").code == "E03")
      _ = try await world.call(.POST, "/password", key: nil, .form("email=mina%40example.com"))
      #expect(try await World.eventually { try await Self.mails(world, to: "mina@example.com").count == 2 })
      let body = try await Self.mails(world, to: "mina@example.com").last?["body"]?.string ?? ""
      let code = try #require(body.firstMatch(of: /\/password\/([0-9a-f]{32})\n/)?.1)
      let changed = try await world.call(.POST, "/password/\(code)", key: nil, .form("password=N3w-word%21"))
      #expect(changed.status == 200)
      let record = try await world.server.madang.accountRecord(email: "mina@example.com")
      #expect(record.unconfirmedAt == nil && record.sessions == 0)
      #expect(try await Self.signIn(world, "mina@example.com").code == "E03")
      #expect(try await Self.signIn(world, "mina@example.com", "N3w-word!").status == 200)
    }
  }

  @Test("social sign-ins and older accounts need no confirmation", arguments: TestEngine.available)
  func vouchedFor(_ engine: TestEngine) async throws {
    try await BackupScene.place(engine) { settings, _ in
      try await World.run(settings) { world in _ = try await world.signUp("Mina") }
      var settings = settings
      (settings.publicURL, settings.registration.confirmation) = (Self.publicURL, .required)
      try await World.run(settings) { world in
        #expect(try await Self.signIn(world, "mina@example.com").status == 200)
        for (provider, field) in [("apple", "idToken"), ("kakao", "oauthToken")] {
          let email = "\(provider)@example.com"
          let token = try await world.socialToken(provider, "1", email, nickname: "Sora")
          let answer = try await world.call(
            .POST, "users/login/\(provider)", .json([field: .text(token), "nickname": "Sora"]))
          #expect(answer.status == 200)
          #expect(try await world.server.madang.accountRecord(email: email).unconfirmedAt == nil)
        }
      }
    }
  }

  @Test(
    "unconfirmed accounts are deleted after their days, unless workspaces or payments need them",
    arguments: TestEngine.available)
  func forgotten(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let madang = world.server.madang
      for name in ["squatter", "confirmed", "disabled", "payer", "member"] {
        #expect(try await Self.join(world, "\(name)@example.com").status == 200)
      }
      _ = try await madang.confirmAddress(of: "confirmed@example.com", by: .hana)
      _ = try await madang.disable(email: "disabled@example.com", by: .hana)
      let payer = try #require(try await madang.accountNumber(email: "payer@example.com"))
      let member = try #require(try await madang.accountNumber(email: "member@example.com"))
      let owner = try await world.signUp("Mina")
      _ = try await madang.confirmAddress(of: owner.email, by: .hana)
      _ = try await owner.workspace()
      try await madang.database.write { transaction in
        try transaction.execute(
          """
          INSERT INTO payments (uuid, user_id, imp_uid, merchant_uid, item, amount, coins, paid_at)
          VALUES ('p', \(payer), 'i', 'm', '10 Coin', 100, 10, 0)
          """)
        // As if it had been added while confirmation was off.
        try transaction.execute(
          "INSERT INTO workspace_members (workspace_id, user_id, joined_at) SELECT id, \(member), 0 FROM workspaces")
      }
      world.clock.advance(milliseconds: 7 * Self.day - 1)
      #expect(try await madang.deleteUnconfirmed() == 0)
      #expect(try await madang.accountNumber(email: "squatter@example.com") != nil)
      world.clock.advance(milliseconds: 1)
      // The server's housekeeping may come first.
      _ = try await madang.deleteUnconfirmed()
      #expect(try await World.eventually { try await madang.accountNumber(email: "squatter@example.com") == nil })
      #expect(try await madang.deleteUnconfirmed() == 0)
      for name in ["confirmed", "disabled", "payer", "member"] {
        #expect(try await madang.accountNumber(email: "\(name)@example.com") != nil)
      }
      let entries = try await AuditTests.entries(world, .accountDeleted)
      #expect(entries.map(\.actor) == ["server"] && entries.map { $0.detail["why"] } == ["address not confirmed"])
      #expect(try await Self.join(world, "squatter@example.com").status == 200)
    }
  }

  @Test(
    "approval lets an account in, and rejection deletes it; its address may try again", arguments: TestEngine.available)
  func approval(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(.off, approval: true)) { (world) async throws in
      let madang = world.server.madang
      for name in ["mina", "joon"] { #expect(try await Self.join(world, "\(name)@example.com").status == 200) }
      let token = try await world.socialToken("kakao", "1", "sora@example.com", nickname: "Sora")
      #expect(try await world.call(.POST, "users/login/kakao", .json(["oauthToken": .text(token)])).status == 200)
      #expect(try await madang.pendingAccounts(after: 0, limit: 10).count == 3)
      #expect(try await madang.approveAccount(email: "mina@example.com", by: .hana).pendingAt == nil)
      #expect(
        try await World.eventually { try await Self.mails(world, to: "mina@example.com").count == 1 })
      #expect(try await madang.rejectAccount(email: "joon@example.com", by: .hana).record.deletedAt != nil)
      #expect(try await madang.rejectAccount(email: "sora@example.com", by: .hana).kakaoSubject == "1")
      for refused in ["mina@example.com", "nobody@example.com"] {
        await #expect(throws: Failure.self) { _ = try await madang.approveAccount(email: refused, by: .hana) }
        await #expect(throws: Failure.self) { _ = try await madang.rejectAccount(email: refused, by: .hana) }
      }
      #expect(try await madang.pendingAccounts(after: 0, limit: 10).isEmpty)
      #expect(try await Self.signIn(world, "joon@example.com").code == "E03")
      #expect(try await Self.join(world, "joon@example.com").status == 200)
      #expect(try await madang.pendingAccounts(after: 0, limit: 10).count == 1)
      let entries = try await AuditTests.entries(world, .accountApproved, .accountDeleted)
      #expect(entries.map(\.kind) == ["accountApproved", "accountDeleted", "accountDeleted"])
      #expect(entries[1].detail["why"] == "not approved" && entries[1].actor.hasPrefix("administrator"))
    }
  }

  @Test(
    "approvers get one mail an hour about waiting accounts",
    arguments: TestEngine.available)
  func approver(_ engine: TestEngine) async throws {
    var settings = Self.settings(.off, approval: true)
    settings.registration.approver = "admin@example.com"
    try await World.run(engine, settings: settings) { (world) async throws in
      func told(_ count: Int) async throws {
        #expect(try await World.eventually { try await Self.mails(world, to: "admin@example.com").count >= count })
        #expect(try await World.eventually { try await world.server.madang.waitingMails() == 0 })
        #expect(try await Self.mails(world, to: "admin@example.com").count == count)
      }
      let hour: Int64 = 3_600_000
      world.clock.advance(milliseconds: hour - world.clock.now % hour)
      for name in ["a", "b", "c"] { #expect(try await Self.join(world, "\(name)@example.com").status == 200) }
      try await told(1)
      // Never an hour without one.
      for (name, count) in [("d", 1), ("e", 2), ("f", 3), ("g", 3)] {
        world.clock.advance(milliseconds: 40 * 60_000)
        #expect(try await Self.join(world, "\(name)@example.com").status == 200)
        try await told(count)
      }
      // One that came while a clock was ahead keeps no mail back.
      try await world.server.madang.database.write { [now = world.clock.now] transaction in
        _ = try transaction.execute(
          "UPDATE users SET pending_at = \(now + 1000 * hour) WHERE email_key = 'a@example.com'")
      }
      world.clock.advance(milliseconds: hour)
      #expect(try await Self.join(world, "h@example.com").status == 200)
      try await told(4)
    }
    settings.registration.approver = "nobody"
    #expect(settings.problems().map { String($0.prefix { $0 != ":" }) } == ["registration.approval.to"])
  }

  @Test(
    "accounts without approval are deleted after their days; 0 keeps them", arguments: TestEngine.available)
  func unapproved(_ engine: TestEngine) async throws {
    var settings = Self.settings(.off, approval: true)
    settings.registration.pendingDays = 2
    try await World.run(engine, settings: settings) { (world) async throws in
      let madang = world.server.madang
      for name in ["mina", "joon"] { #expect(try await Self.join(world, "\(name)@example.com").status == 200) }
      _ = try await madang.approveAccount(email: "joon@example.com", by: .hana)
      world.clock.advance(milliseconds: 2 * Self.day - 1)
      #expect(try await madang.deletePending() == 0)
      #expect(try await madang.accountNumber(email: "mina@example.com") != nil)
      world.clock.advance(milliseconds: 1)
      // The server's housekeeping may come first.
      _ = try await madang.deletePending()
      #expect(try await World.eventually { try await madang.accountNumber(email: "mina@example.com") == nil })
      #expect(try await madang.accountNumber(email: "joon@example.com") != nil)
      let entries = try await AuditTests.entries(world, .accountDeleted)
      #expect(entries.map(\.actor) == ["server"] && entries.map { $0.detail["why"] } == ["not approved in time"])
    }
    settings.registration.pendingDays = 0
    try await World.run(engine, settings: settings) { (world) async throws in
      _ = try await Self.join(world, "mina@example.com")
      world.clock.advance(milliseconds: 4000 * Self.day)
      #expect(try await world.server.madang.deletePending() == 0)
    }
  }

  /// When an account began to wait, for its confirmation and for its approval.
  private static func setWaits(_ world: World, of email: String, to time: Int64) async throws {
    try await world.server.madang.database.write { transaction in
      _ = try transaction.execute(
        "UPDATE users SET unconfirmed_at = \(time), pending_at = \(time) WHERE email_key = \(email)")
    }
  }

  @Test(
    "a server deletes accounts that waited too long only after its first round of housekeeping, and with confirmation off the days do not count",
    arguments: TestEngine.available)
  func firstRound(_ engine: TestEngine) async throws {
    for mode in [AddressConfirmation.limited, .off] {
      try await BackupScene.place(engine) { settings, _ in
        var settings = settings
        (settings.publicURL, settings.registration.confirmation, settings.registration.pendingDays) = (
          Self.publicURL, mode, 0
        )
        // The last thing that a round does.
        @Sendable func plant(_ world: World) async throws {
          try await world.server.madang.database.write { transaction in
            _ = try transaction.execute("INSERT INTO deleted_sign_ins VALUES ('round', 0, 0)")
          }
        }
        @Sendable func roundEnds(_ world: World) async throws -> Bool {
          try await World.eventually {
            try await world.server.madang.database.read { transaction in
              try transaction.first("SELECT 1 AS found FROM deleted_sign_ins") { _ in true } == nil
            }
          }
        }
        try await World.run(settings) { world in
          try await plant(world)
          // The first round may have ended before.
          world.clock.advance(milliseconds: 3_600_000)
          #expect(try await roundEnds(world))
          _ = try await Self.join(world, "mina@example.com")
          try await Self.setWaits(world, of: "mina@example.com", to: world.clock.now - 100 * Self.day)
          try await plant(world)
        }
        try await World.run(settings) { world in
          let madang = world.server.madang
          #expect(try await roundEnds(world))
          #expect(try await madang.accountNumber(email: "mina@example.com") != nil)
          world.clock.advance(milliseconds: 3_600_000)
          let isDone = try await World.eventually {
            do {
              return try await madang.accountRecord(email: "mina@example.com").unconfirmedAt == world.clock.now
            } catch let failure as Failure where failure.code == .noSuchUser { return mode == .limited }
          }
          #expect(isDone)
        }
      }
    }
  }

  @Test("restored accounts wait from the time of the restore", arguments: TestEngine.available)
  func restored(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      try await scene.serve { world in
        _ = try await world.signUp("Waiting")
        try await Self.setWaits(world, of: "waiting@example.com", to: 5)
      }
      let before = Clock.systemTime()
      _ = try await scene.backUp()
      try await scene.elsewhere(engine) { target in
        try await scene.restore(to: target)
        try await scene.serve(target) { world in
          let record = try await world.server.madang.accountRecord(email: "waiting@example.com")
          #expect(record.unconfirmedAt.map { $0 >= before } == true && record.pendingAt.map { $0 >= before } == true)
        }
      }
    }
  }

  @Test("an API key may decide whether accounts wait for approval", arguments: TestEngine.available)
  func keys(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(.off, approval: true)) { (world) async throws in
      let madang = world.server.madang
      let off = try await madang.createKey(edition: "2024-10", label: "off", approval: .off, by: .hana).key
      let on = try await madang.createKey(edition: "2024-10", label: "on", approval: .on, by: .hana).key
      let same = try await madang.createKey(edition: "2024-10", label: "same", by: .hana).key
      for (name, key) in [("off", off), ("on", on), ("same", same)] {
        #expect(try await Self.join(world, "\(name)@example.com", key: key).status == 200)
      }
      #expect(
        try await madang.pendingAccounts(after: 0, limit: 10).map(\.account.person.email)
          == ["on@example.com", "same@example.com"])
      #expect(try await madang.keys().map(\.approval) == ["off", "on", nil])
    }
  }

  @Test("an account is made although too many mails wait", arguments: TestEngine.available)
  func fullQueue(_ engine: TestEngine) async throws {
    var settings = Self.settings()
    (settings.mailing.queue, settings.isDevelopment) = (1, false)
    // No mail server listens there, so mails wait.
    (settings.mail.server, settings.mail.from) = ("smtp://127.0.0.1:9", "chat@example.com")
    settings.keys = [DevelopmentKey.october2024: .october2024]
    try await World.run(engine, settings: settings) { (world) async throws in
      for name in ["mina", "joon"] { #expect(try await Self.join(world, "\(name)@example.com").status == 200) }
      #expect(try await world.server.madang.waitingMails() == 1)
      #expect(try await world.server.madang.accountRecord(email: "joon@example.com").unconfirmedAt != nil)
    }
  }

  @Test(
    "links that confirm addresses fill at most half of the queue, and password links go first",
    arguments: TestEngine.available)
  func crowdedQueue(_ engine: TestEngine) async throws {
    var settings = Self.settings()
    (settings.mailing.queue, settings.isDevelopment) = (4, false)
    // No mail server listens there, so mails wait.
    (settings.mail.server, settings.mail.from) = ("smtp://127.0.0.1:9", "chat@example.com")
    settings.keys = [DevelopmentKey.october2024: .october2024]
    try await World.run(engine, settings: settings) { (world) async throws in
      let madang = world.server.madang
      for name in ["a", "b", "c"] { #expect(try await Self.join(world, "\(name)@example.com").status == 200) }
      #expect(try await madang.waitingMails() == 2)
      try await madang.sendPasswordReset(to: "c@example.com", from: "")
      #expect(try await madang.waitingMails() == 3)
      let kind: String = try await madang.database.read { transaction in
        // Whenever they are due.
        let first = try #require(try transaction.dueMails(at: "9000000000000000", limit: 1).first)
        return try transaction.one("SELECT kind FROM mails WHERE id = \(first)") { try $0.get("kind") }
      }
      #expect(kind == "passwordReset")
      let all = try await madang.database.read { try $0.dueMails(at: "9000000000000000", limit: 10) }
      #expect(all.count == 3 && Set(all).count == 3)
    }
  }

  @Test("confirmation needs mails and a public address, and without it there is no page")
  func problems() async throws {
    var settings = Self.settings()
    #expect(settings.problems().isEmpty)
    settings.publicURL = ""
    #expect(settings.problems().map { String($0.prefix { $0 != ":" }) } == ["registration.confirm"])
    (settings.publicURL, settings.isDevelopment) = (Self.publicURL, false)
    #expect(settings.problems().map { String($0.prefix { $0 != ":" }) } == ["registration.confirm"])
    try await World.run(.sqlite, settings: Self.settings(.off)) { (world) async throws in
      #expect(try await world.call(.GET, "/confirm", key: nil).code == "E01")
    }
    try await World.run(.sqlite, settings: Self.settings()) { (world) async throws in
      #expect(try await world.call(.GET, "/confirm", key: nil).status == 200)
      #expect(try await world.call(.PUT, "/confirm", key: nil).code == "E01")
      #expect(try await world.call(.GET, "/confirm/x/y", key: nil).code == "E01")
      #expect(try await world.call(.POST, "/confirm", key: nil, .form("")).status == 400)
    }
  }
}

extension Madang {
  func endWaiting(of email: String) async throws {
    let account = try await accountRecord(email: email)
    if account.unconfirmedAt != nil { _ = try await confirmAddress(of: email, by: .hana) }
    if account.pendingAt != nil { _ = try await approveAccount(email: email, by: .hana) }
  }
}
