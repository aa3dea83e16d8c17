import Foundation
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Support
import Testing

/// Calls of the console about workspaces, invitations, keys, announcements, chats, files, mails and the audit log.
@Suite("Calls of the administrator's console about what accounts have", .timeLimit(.minutes(5)))
struct AdminPlacesTests {
  /// A server with the console, an administrator and three people, of whom the first two share a workspace.
  private static func run(
    _ engine: TestEngine, _ body: @escaping @Sendable (World, Courtyard, AdminBrowser) async throws -> Void
  ) async throws {
    try await AdminBrowser.run(engine) { world in
      let yard = try await world.courtyard()
      try await body(world, yard, try await AdminBrowser.administrator(world))
    }
  }

  private static let workspace: Set = [
    "number", "workspace_id", "name", "owner", "members", "channels", "chats", "chatDays", "fileDays", "heldAt",
    "deletedAt", "createdAt",
  ]

  @Test("workspaces are found, opened and set as the page reads and writes them", arguments: TestEngine.available)
  func workspaces(_ engine: TestEngine) async throws {
    try await Self.run(engine) { _, yard, admin in
      let list = try await admin.call(.GET, "workspaces?find=BUILD&limit=1").json
      #expect(list.keys == ["workspaces", "next", "total"] && list["total"]?.int == 1 && list["next"] == .null)
      #expect(list["workspaces"]?[0]?.keys == Self.workspace && list["workspaces"]?[0]?["number"]?.int == 1)
      #expect(try await admin.call(.GET, "workspaces?find=nothing").json["workspaces"] == .list([]))

      let detail = try await admin.call(.GET, "workspaces/1").json
      #expect(detail.keys == ["workspace", "quota", "defaults"])
      #expect(detail["quota"]?["channels"]?.keys == ["used", "limit", "own"])
      #expect(detail["defaults"]?.keys == ["channels", "members", "fileBytes", "chatDays", "fileDays"])
      #expect(try await admin.outcome(.GET, "workspaces/9") == "404 notFound")
      #expect(try await admin.outcome(.GET, "workspaces/x") == "404 notFound")

      let quota = try await admin.call(
        .POST, "workspaces/1/quota", ["channels": .number(9), "members": .null, "fileBytes": .number(0)])
      #expect(try quota.json["workspace"]?.keys == Self.workspace)
      let set = try await admin.call(.GET, "workspaces/1").json["quota"]
      #expect(set?["channels"]?["own"]?.int == 9 && set?["members"]?["own"] == .null)
      #expect(set?["fileBytes"]?["limit"]?.int == 0)
      #expect(try await admin.outcome(.POST, "workspaces/1/quota", ["channels": .number(-1)]) == "400 refused")
      #expect(try await admin.outcome(.POST, "workspaces/1/quota", ["chanels": .number(1)]) == "400 refused")
      let kept = try await admin.call(
        .POST, "workspaces/1/retention", ["chatDays": .number(30), "fileDays": .null])
      #expect(try kept.json["workspace"]?["chatDays"]?.int == 30)
      let held = try await admin.call(.POST, "workspaces/1/hold", [:]).json["workspace"]
      #expect(held?["heldAt"]?.string != nil)
      #expect(try await admin.outcome(.DELETE, "workspaces/1", ["name": .text("Weekend Builders")]) == "409 held")
      #expect(try await admin.call(.POST, "workspaces/1/release", [:]).json["workspace"]?["heldAt"] == .null)
      #expect(try await admin.outcome(.DELETE, "workspaces/1", ["name": .text("weekend builders")]) == "400 word")
      #expect(try await yard.b.code(.GET, yard.w) == nil)
      #expect(try await admin.call(.DELETE, "workspaces/1", ["name": .text("Weekend Builders")]).json == .object([:]))
      #expect(try await yard.b.code(.GET, yard.w) == "E13")
      #expect(try await admin.outcome(.GET, "workspaces/1") == "404 notFound")
    }
  }

  @Test(
    "a workspace whose name is another's number does not stand in for it", arguments: TestEngine.available)
  func numbers(_ engine: TestEngine) async throws {
    try await Self.run(engine) { _, yard, admin in
      _ = try await yard.c.workspace("1")
      #expect(try await admin.call(.GET, "workspaces/1").json["workspace"]?["name"] == .text("Weekend Builders"))
      #expect(try await admin.outcome(.POST, "workspaces/1/hold", [:]) == "200")
      #expect(try await admin.call(.GET, "workspaces/2").json["workspace"]?["heldAt"] == .null)
    }
  }

  @Test("members are listed, added, removed and made owners", arguments: TestEngine.available)
  func members(_ engine: TestEngine) async throws {
    try await Self.run(engine) { _, yard, admin in
      let page = try await admin.call(.GET, "workspaces/1/members?limit=1").json
      #expect(page.keys == ["members", "next"] && page["next"]?.int == 1)
      #expect(page["members"]?[0]?.keys == ["number", "email", "nickname", "isOwner", "joinedAt"])
      #expect(try await admin.call(.GET, "workspaces/1/members?after=1").json["members"]?[0]?["number"]?.int == 2)
      func act(_ name: String, _ email: String) async throws -> String {
        try await admin.outcome(.POST, "workspaces/1/\(name)", ["email": .text(email)])
      }
      #expect(try await act("add-member", "unknown@example.com") == "404 notFound")
      #expect(try await act("add-member", yard.b.email) == "409 member")
      #expect(try await act("add-member", yard.c.email) == "200")
      #expect(try await yard.c.code(.GET, yard.w) == nil)
      #expect(try await act("remove-member", yard.a.email) == "409 owner")
      #expect(try await act("hand-over", yard.c.email) == "200")
      let left = try await admin.call(.POST, "workspaces/1/remove-member", ["email": .text(yard.a.email)]).json
      #expect(left["workspace"]?["owner"] == .text(yard.c.email) && left["workspace"]?["members"]?.int == 2)
      #expect(try await yard.a.code(.GET, yard.w) == "E13")
    }
  }

  @Test("invitations and keys are made, listed and revoked", arguments: TestEngine.available)
  func admission(_ engine: TestEngine) async throws {
    try await Self.run(engine) { world, _, admin in
      func invite(_ body: JSON) async throws -> JSON {
        try await admin.call(.POST, "invitations", body).json["invitation"] ?? .null
      }
      let fields: Set = [
        "number", "email", "codeNumber", "workspace", "from", "usesLeft", "createdAt", "expiresAt", "revokedAt", "code",
        "link",
      ]
      let named = try await invite(["email": .text("n@example.com"), "days": .number(3)])
      #expect(named.keys == fields && named["code"] == .null && named["email"] == .text("n@example.com"))
      let code = try await invite(["uses": .number(5), "days": .number(3)])
      #expect(code["code"]?.string?.isEmpty == false && code["usesLeft"]?.int == 5)
      let elsewhere: JSON = ["email": .text("x@example.com"), "days": .number(3), "workspace": .text("unknown")]
      #expect(try await admin.outcome(.POST, "invitations", elsewhere) == "404 notFound")
      for wrong: JSON in [
        ["days": .number(3)], ["email": .text("x@example.com"), "uses": .number(1), "days": .number(3)],
        ["uses": .number(0), "days": .number(3)], ["uses": .text("1"), "days": .number(3)],
        ["email": .text("mina@example.com"), "days": .number(3)],
        ["uses": .number(1), "days": .number(3), "mail": .bool(true)],
        ["email": .text("x@example.com"), "days": .number(3), "from": .text(String(repeating: "x", count: 31))],
      ] { #expect(try await admin.outcome(.POST, "invitations", wrong) == "400 refused", "\(wrong)") }
      #expect(try await admin.call(.DELETE, "invitations/1").json["invitation"]?["revokedAt"]?.string != nil)
      #expect(try await admin.outcome(.DELETE, "invitations/1") == "404 notFound")
      let open = try await admin.call(.GET, "invitations?state=open").json
      #expect(open["total"]?.int == 1 && open["invitations"]?[0]?["number"]?.int == 2)
      #expect(try await admin.call(.GET, "invitations").json["total"]?.int == 2)
      #expect(try await admin.outcome(.GET, "invitations?state=shut") == "400 refused")

      let new: JSON = [
        "label": .text("an app"), "edition": .text("2024-10"), "registration": .text("invite"), "approval": .null,
      ]
      let key = try await admin.call(.POST, "keys", new).json["key"]
      #expect(
        key?.keys == [
          "number", "edition", "label", "registration", "approval", "createdAt", "revokedAt", "key",
        ])
      let secret = try #require(key?["key"]?.string)
      #expect(try await world.call(.GET, "users/me", key: secret).code == "E02")
      let keys = try await admin.call(.GET, "keys").json["keys"]?.list ?? []
      #expect(keys.last?["label"] == .text("an app") && keys.allSatisfy { $0["key"] == .null })
      for (field, value) in [("edition", "2023-01"), ("registration", "all"), ("approval", "maybe")] {
        guard case .object(var wrong) = new else { return }
        wrong[field] = .text(value)
        #expect(try await admin.outcome(.POST, "keys", .object(wrong)) == "400 refused", "\(field)")
      }
      let number = try #require(key?["number"]?.int)
      #expect(try await admin.call(.DELETE, "keys/\(number)").json["key"]?["revokedAt"]?.string != nil)
      #expect(try await admin.outcome(.DELETE, "keys/\(number)") == "404 notFound")
    }
  }

  @Test("announcements are made, listed from the newest, and cancelled", arguments: TestEngine.available)
  func announcements(_ engine: TestEngine) async throws {
    try await Self.run(engine) { _, yard, admin in
      func announce(_ content: String, from: String, in workspace: String = "") async throws -> World.Answer {
        try await admin.call(
          .POST, "announcements",
          ["content": .text(content), "title": .text(""), "from": .text(from), "workspace": .text(workspace)])
      }
      let made = try await announce("one", from: yard.a.email).json["announcement"]
      #expect(
        made?.keys == ["number", "content", "from", "channels", "waiting", "createdAt", "cancelledAt"])
      _ = try await announce("two", from: yard.a.email, in: "Weekend Builders")
      let page = try await admin.call(.GET, "announcements?limit=1").json
      #expect(page["announcements"]?[0]?["content"] == .text("two") && page["total"]?.int == 2)
      let next = try #require(page["next"]?.int)
      let rest = try await admin.call(.GET, "announcements?limit=1&after=\(next)").json
      #expect(rest["announcements"]?[0]?["content"] == .text("one") && rest["next"] == .null)
      let unknown = try await announce("three", from: "unknown@example.com")
      #expect(unknown.status == 400)
      #expect(try unknown.json["message"]?.string?.contains("unknown@example.com") == true)
      #expect(try await announce("", from: yard.a.email).status == 400)
      #expect(try await admin.outcome(.DELETE, "announcements/99") == "404 notFound")
    }
  }

  @Test(
    "chats are found from the newest and removed, without their texts while web.admin.content is off",
    arguments: TestEngine.available, [true, false])
  func chats(_ engine: TestEngine, _ showsContent: Bool) async throws {
    var settings = World.settings(\.web.admin.isOn, true)
    settings.web.admin.showsContent = showsContent
    try await Browser.run(engine, settings: settings) { world in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      for text in ["first spam", "second"] {
        _ = try await yard.a.say(text, in: channel)
        world.clock.advance(milliseconds: 1000)
      }
      let admin = try await AdminBrowser.administrator(world)
      func search(_ text: String, author: JSON = .null, workspace: JSON = .null, since: JSON = .null) async throws
        -> World.Answer
      {
        try await admin.call(
          .POST, "chats/search",
          ["text": .text(text), "author": author, "workspace": workspace, "since": since, "limit": .number(100)])
      }
      let all = try await search("", author: .text(yard.a.email), since: .text("2026-01-02T03:04:05.678Z")).json
      #expect(all["chats"]?.list?.count == 2)
      let newest = all["chats"]?[0]
      #expect(
        newest?.keys == ["number", "chat_id", "workspace", "channel", "author", "content", "files", "createdAt"])
      #expect(newest?["content"] == (showsContent ? .text("second") : .null) && newest?["channel"] == .text("ios"))
      let spam = try await search("SPAM")
      #expect(spam.status == (showsContent ? 200 : 403))
      if showsContent { #expect(try spam.json["chats"]?.list?.count == 1) }
      #expect(try await search("", since: .text("yesterday")).status == 400)
      let unknown = try await search("", workspace: .text("unknown"))
      #expect(unknown.status == 400)
      #expect(try unknown.json["message"]?.string?.contains("'unknown'") == true)

      let number = try #require(newest?["number"]?.int)
      #expect(try await admin.outcome(.POST, "workspaces/1/hold", [:]) == "200")
      #expect(try await admin.outcome(.DELETE, "chats/\(number)") == "409 held")
      #expect(try await admin.outcome(.POST, "workspaces/1/release", [:]) == "200")
      #expect(try await admin.call(.DELETE, "chats/\(number)").json == .object([:]))
      #expect(try await admin.outcome(.DELETE, "chats/4711") == "404 notFound")
      let kinds = try await admin.call(.GET, "audit?kind=chatsSearched").json["entries"]?.list ?? []
      #expect(kinds.count == (showsContent ? 2 : 1))
      #expect(kinds.allSatisfy { $0["actor"] == .text("administrator #1 hana@example.com") })
      #expect(kinds.allSatisfy { $0["address"] == .text("127.0.0.1") })
    }
  }

  @Test("the audit log, files and mails are as the page reads them", arguments: TestEngine.available)
  func records(_ engine: TestEngine) async throws {
    try await Self.run(engine) { _, yard, admin in
      _ = try await admin.call(.POST, "accounts/2/disable", [:])
      let log = try await admin.call(.GET, "audit?limit=1").json
      #expect(log.keys == ["entries", "next", "kinds"] && log["kinds"]?.list?.contains(.text("memberAdded")) == true)
      #expect(
        log["entries"]?[0]?.keys == [
          "number", "at", "kind", "actor", "account", "subject", "address", "edition", "node", "detail",
        ])
      #expect(log["entries"]?[0]?["kind"] == .text("accountDisabled"))
      let next = try #require(log["next"]?.int)
      #expect(
        try await admin.call(.GET, "audit?before=\(next)").json["entries"]?[0]?["kind"] != .text("accountDisabled"))
      func kinds(_ query: String) async throws -> [String] {
        try await admin.call(.GET, "audit?\(query)").json["entries"]?.list?.compactMap { $0["kind"]?.string } ?? []
      }
      #expect(try await kinds("account=joon@example.com") == ["accountDisabled", "signUp"])
      #expect(try await kinds("account=OON%40ex&kind=signUp") == ["signUp"])
      #expect(try await kinds("since=2999-01-01") == [])
      #expect(try await kinds("kind=signUp&since=2020-01-01").count == 3)
      for wrong in ["kind=nothing", "since=soon", "limit=0", "before=x"] {
        #expect(try await admin.outcome(.GET, "audit?\(wrong)") == "400 refused", "\(wrong)")
      }
      let files = try await admin.call(.GET, "files").json
      #expect(
        files.keys == [
          "disk", "place", "files", "fileBytes", "trash", "database", "log", "workspaces", "accounts",
        ])
      #expect(files["disk"]?.keys == ["size", "free"] && files["trash"]?.keys == ["files", "bytes", "days"])
      let mails = try await admin.call(.GET, "mails").json
      #expect(mails.keys == ["sends", "waiting", "server", "from", "hour", "failing", "mails"])
      #expect(mails["sends"] == .bool(false) && mails["hour"]?.keys == ["sent", "limit"])
    }
  }

  @Test("read-only mode refuses what madang admin refuses", arguments: TestEngine.available)
  func readOnly(_ engine: TestEngine) async throws {
    try await Self.run(engine) { world, yard, admin in
      _ = try await world.server.madang.beginReadOnlyMode(reason: "", by: .hana)
      for (path, body): (String, JSON) in [
        ("workspaces/1/hold", [:]), ("workspaces/1/add-member", ["email": .text(yard.c.email)]),
        ("accounts/2/coins", ["amount": .number(1), "note": .text("n")]),
        ("invitations", ["uses": .number(1), "days": .number(1)]),
      ] { #expect(try await admin.outcome(.POST, path, body) == "409 readOnly", "\(path)") }
      for name in ["disable", "enable", "end-sessions"] {
        #expect(try await admin.outcome(.POST, "accounts/2/\(name)", [:]) == "200", "\(name)")
      }
      #expect(try await admin.outcome(.DELETE, "workspaces/1", ["name": .text("Weekend Builders")]) == "409 readOnly")
    }
  }
}
