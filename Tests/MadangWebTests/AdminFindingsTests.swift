import Foundation
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Support
import Testing

@Suite("What the administrator's console says and refuses", .timeLimit(.minutes(5)))
struct AdminFindingsTests {
  @Test(
    "an export has texts and files only with web.admin.content; the archive, the answer and the audit log say so",
    arguments: TestEngine.available, [false, true])
  func export(_ engine: TestEngine, _ showsContent: Bool) async throws {
    var settings = World.settings(\.web.admin.isOn, true)
    settings.web.admin.showsContent = showsContent
    try await Browser.run(engine, settings: settings) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      _ = try await yard.a.say("a text in a channel", in: channel)
      let room = try await yard.a.directMessage(with: yard.b, in: yard.w)
      _ = try await yard.a.say("a text to one person", in: room)
      _ = try await yard.a.success(.POST, "\(channel)/chats", .multipart([.file("files", Sample.pdf)]))
      let hana = try await AdminBrowser.administrator(world)
      let number = try #require(try await world.server.madang.accountNumber(email: yard.a.email))
      let export = try await hana.call(.POST, "accounts/\(number)/export", [:]).json
      #expect(export["content"] == .bool(showsContent) && export["chats"] == 3)
      #expect(export["files"]?.int == (showsContent ? 1 : 0))
      let url = try #require(export["url"]?.string)
      let archive = try await hana.call(.GET, String(url.dropFirst("/admin/api/".count)))
      let text = String(decoding: archive.body, as: UTF8.self)
      for part in ["a text in a channel", "a text to one person", "%PDF"] {
        #expect(text.contains(part) == showsContent, "\(part)")
      }
      #expect(text.contains("web.admin.content is off") == !showsContent)
      // A direct message has its room and the other person.
      #expect(text.contains(#""with" : "\#(yard.b.nickname)""#) && text.contains("roomID"))
      let name = try #require(archive.headers["Content-Disposition"].first)
      #expect(name.hasPrefix("attachment; filename=\"account-\(number)-20") && name.hasSuffix(".zip\""))
      let entry = try #require(
        try await world.server.madang.audit(AuditFilter(), limit: 50).first { $0.kind == "accountExported" })
      #expect(entry.detail["content"] == (showsContent ? "texts and files" : "left out"))
    }
  }

  @Test("the audit log is filtered by an account's number, also after its deletion", arguments: TestEngine.available)
  func auditByNumber(_ engine: TestEngine) async throws {
    try await AdminBrowser.run(engine) { world in
      _ = try await world.signUp("Mina")
      _ = try await world.signUp("Joon")
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await hana.outcome(.DELETE, "accounts/1", ["email": "mina@example.com"]) == "200")
      let entries = try await hana.call(.GET, "audit?number=1").json["entries"]?.list ?? []
      #expect(entries.compactMap { $0["kind"]?.string } == ["accountDeleted", "signUp"])
      #expect(try await hana.call(.GET, "audit?number=2&kind=accountDeleted").json["entries"] == [])
      #expect(try await hana.outcome(.GET, "audit?number=x") == "400 refused")
    }
  }

  @Test("while registration is closed an invitation is refused, as it has no effect", arguments: TestEngine.available)
  func closed(_ engine: TestEngine) async throws {
    var settings = World.settings(\.web.admin.isOn, true)
    settings.registration.mode = .closed
    try await Browser.run(engine, settings: settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      let refused = try await hana.call(.POST, "invitations", ["email": "zoe@example.com", "days": 1])
      #expect(refused.status == 409)
      #expect(try refused.json["error"] == "closed" && refused.json["kind"] == "closed")
      #expect(try await hana.outcome(.POST, "invitations", ["uses": 1, "days": 1]) == "409 closed")
      // The rule of an app's key may admit the person.
      _ = try await world.server.madang.createKey(
        edition: "2024-10", label: "app", registration: .invite, by: .hana)
      #expect(try await hana.outcome(.POST, "invitations", ["email": "zoe@example.com", "days": 1]) == "200")
    }
  }

  @Test(
    "an announcement is checked before it is confirmed: the check names sender and workspace, and posts nothing",
    arguments: TestEngine.available)
  func announcement(_ engine: TestEngine) async throws {
    try await AdminBrowser.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let hana = try await AdminBrowser.administrator(world)
      func check(_ content: String = "Hello", from: String = mina.email, in workspace: String = "") async throws
        -> World.Answer
      {
        try await hana.call(
          .POST, "announcements/check",
          ["content": .text(content), "title": "", "from": .text(from), "workspace": .text(workspace)])
      }
      #expect(try await check().status == 400, "there are no workspaces")
      _ = try await mina.workspace("Weekend Builders")
      _ = try await mina.workspace("Second")
      let author: JSON = ["email": .text(mina.email), "nickname": "Mina"]
      #expect(try await check().json == ["from": author, "workspace": .null, "workspaces": 2])
      #expect(
        try await check(in: "Second").json == ["from": author, "workspace": "Second", "workspaces": 1])
      #expect(try await check(in: "Nowhere").json["kind"] == "notFound")
      #expect(try await check(from: "unknown@example.com").json["kind"] == "noSuchUser")
      #expect(try await check(" ").json["kind"] == "invalid")
      #expect(try await hana.call(.GET, "announcements").json["total"] == 0)
    }
  }

  @Test("an administrator's last use counts as seen, not only the sign-in", arguments: TestEngine.available)
  func seen(_ engine: TestEngine) async throws {
    try await AdminBrowser.run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      world.clock.advance(milliseconds: 900_000)
      let listed = try await hana.call(.GET, "administrators").json["administrators"]?.list?.first
      #expect(listed?["seenAt"] != listed?["createdAt"])
    }
  }

  @Test("a session shows the address and the device of its sign-in", arguments: TestEngine.available)
  func sessions(_ engine: TestEngine) async throws {
    try await AdminBrowser.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let body: JSON = ["email": .text(mina.email), "password": .text(World.password)]
      let agent = ("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)")
      #expect(try await world.call(.POST, "users/login", headers: [agent], .json(body)).status == 200)
      let hana = try await AdminBrowser.administrator(world)
      let sessions = try await hana.call(.GET, "accounts/1").json["sessions"]?.list ?? []
      #expect(sessions.map { $0["device"]?.string } == ["not known", "an iPhone"])
      #expect(sessions.allSatisfy { $0["address"] == "127.0.0.1" })
    }
  }

  @Test("name and password of a link are checked before the authenticator app", arguments: TestEngine.available)
  func setUpCheck(_ engine: TestEngine) async throws {
    try await AdminBrowser.run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      let token = try await world.server.madang.makeAdministratorLink(byOperator: .hana).token
      let browser = AdminBrowser(world)
      try #require(try await browser.openLink(token).status == 200)
      func check(_ name: String, password: String = AdminBrowser.password, token: String = token) async throws -> String
      {
        try await browser.outcome(
          .POST, "setup/check", ["token": .text(token), "name": .text(name), "password": .text(password)])
      }
      #expect(try await check("sora@example.com") == "200")
      #expect(try await check("hana@example.com") == "409 taken")
      #expect(try await check("sora@example.com", password: "short") == "400 weak")
      #expect(try await check("sora@example.com", token: String(repeating: "0", count: 64)) == "410 link")
      #expect(try await browser.setUp(token, "sora@example.com").status == 200, "nothing was used up")
      let kinds = try await world.server.madang.audit(AuditFilter(), limit: 20).map(\.kind)
      #expect(kinds.contains("administratorLinkMade") && !kinds.contains("administratorChanged"))
      _ = hana
    }
  }

  @Test("a used recovery code is refused with words about recovery codes", arguments: TestEngine.available)
  func recovery(_ engine: TestEngine) async throws {
    try await AdminBrowser.run(engine) { world in
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await AdminBrowser(world).signIn(like: hana, code: hana.recoveryCodes[0]).status == 200)
      var answers: Set<[UInt8]> = []
      for (password, code) in [
        (AdminBrowser.password, hana.recoveryCodes[0]), ("Wrong1234!", hana.recoveryCodes[1]),
      ] {
        answers.insert(try await AdminBrowser(world).signIn(like: hana, password: password, code: code).body)
      }
      #expect(answers.count == 1 && String(decoding: answers.first ?? [], as: UTF8.self).contains(#""recovery""#))
    }
  }
}
