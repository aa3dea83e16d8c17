import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("Calls of the administrator's console about accounts", .timeLimit(.minutes(5)))
struct AdminAccountsTests {
  private static func run(
    _ engine: TestEngine, _ body: @escaping @Sendable (World, Courtyard, AdminBrowser) async throws -> Void
  ) async throws {
    try await AdminBrowser.run(engine) { world in
      let yard = try await world.courtyard()
      try await body(world, yard, try await AdminBrowser.administrator(world))
    }
  }

  private static let account: Set = [
    "number", "user_id", "email", "nickname", "coins", "sessions", "createdAt", "disabledAt", "deletedAt",
    "unconfirmedAt", "pendingAt", "lastSeenAt",
  ]

  @Test("accounts are found and opened as the page reads them", arguments: TestEngine.available)
  func looking(_ engine: TestEngine) async throws {
    try await Self.run(engine) { _, yard, admin in
      let page = try await admin.call(.GET, "accounts?limit=2").json
      #expect(page.keys == ["accounts", "next", "total"] && page["next"]?.int == 2 && page["total"]?.int == 3)
      #expect(page["accounts"]?[0]?.keys == Self.account)
      let rest = try await admin.call(.GET, "accounts?limit=2&after=2").json
      #expect(rest["accounts"]?[0]?["number"]?.int == 3 && rest["next"] == .null && rest["total"] == .null)
      let found = try await admin.call(.GET, "accounts?find=OON&state=active").json
      #expect(found["accounts"]?.list?.count == 1 && found["total"]?.int == 1)
      #expect(try await admin.call(.GET, "accounts?state=disabled").json["accounts"] == .list([]))
      for wrong in ["state=all", "limit=201", "after=-1", "find=\(String(repeating: "x", count: 101))"] {
        #expect(try await admin.outcome(.GET, "accounts?\(wrong)") == "400 refused", "\(wrong)")
      }
      let detail = try await admin.call(.GET, "accounts/2").json
      #expect(detail.keys == ["account", "phone", "signInMethod", "workspaces", "sessions"])
      #expect(detail["workspaces"]?[0]?.keys == ["number", "name", "isOwner", "joinedAt"])
      #expect(
        detail["sessions"]?[0]?.keys == ["number", "email", "edition", "createdAt", "lastUsedAt", "address", "device"])
      #expect(detail["signInMethod"] == .text("password") && detail["account"]?["lastSeenAt"]?.string != nil)
      #expect(try await admin.outcome(.GET, "accounts/9") == "404 notFound")
    }
  }

  @Test("accounts are changed as the page asks for it", arguments: TestEngine.available)
  func changes(_ engine: TestEngine) async throws {
    try await Self.run(engine) { world, yard, admin in
      func act(_ name: String, _ body: JSON = [:], on number: Int = 2) async throws -> JSON {
        try await admin.call(.POST, "accounts/\(number)/\(name)", body).json
      }
      #expect(try await act("disable")["account"]?["disabledAt"]?.string != nil)
      #expect(try await yard.b.code(.GET, "users/me") == "E02")
      let enabled = try await act("enable")
      #expect(enabled.keys == ["account"] && enabled["account"]?.keys == Self.account)
      #expect(enabled["account"]?["disabledAt"] == .null)
      let coins = enabled["account"]?["coins"]?.int ?? 0
      #expect(
        try await act("coins", ["amount": .number(5), "note": .text("thanks")])["account"]?["coins"]?.int == coins + 5)
      for wrong: JSON in [
        ["amount": .number(0), "note": .text("n")], ["amount": .number(1)], ["amount": .text("1"), "note": .text("n")],
        ["amount": .number(1), "note": .text("")], ["amount": .number(1), "note": .text("n"), "more": .null],
      ] { #expect(try await admin.outcome(.POST, "accounts/2/coins", wrong) == "400 refused", "\(wrong)") }
      #expect(try await admin.outcome(.POST, "accounts/2/reset", [:]) == "409 noMail")
      for name in ["approve", "reject", "confirm"] {
        #expect(try await admin.outcome(.POST, "accounts/2/\(name)", [:]) == "400 refused", "\(name)")
      }
      _ = try await world.server.madang.database.write {
        try $0.execute("UPDATE users SET pending_at = 5, unconfirmed_at = 5 WHERE id = 3")
      }
      #expect(try await act("confirm", on: 3)["account"]?["unconfirmedAt"] == .null)
      #expect(try await act("approve", on: 3)["account"]?["pendingAt"] == .null)

      _ = try await world.signIn(yard.c, through: .october2024)
      let sessions = try await admin.call(.GET, "accounts/3").json["sessions"]?.list ?? []
      #expect(sessions.count == 2)
      let number = try #require(sessions.first?["number"]?.int)
      #expect(try await admin.call(.DELETE, "sessions/\(number)").json == ["ended": .number(1)])
      #expect(try await admin.outcome(.DELETE, "sessions/\(number)") == "404 notFound")
      let ended = try await act("end-sessions", on: 3)
      #expect(ended["ended"]?.int == 1 && ended["account"]?["sessions"]?.int == 0)
      #expect(try await admin.outcome(.POST, "accounts/9/disable", [:]) == "404 notFound")
    }
  }

  @Test("an account is deleted or rejected, but not an owner, and not by another word", arguments: TestEngine.available)
  func deletion(_ engine: TestEngine) async throws {
    try await Self.run(engine) { world, yard, admin in
      func delete(_ number: Int, _ word: String) async throws -> String {
        try await admin.outcome(.DELETE, "accounts/\(number)", ["email": .text(word)])
      }
      #expect(try await delete(1, yard.a.email) == "409 owner")
      #expect(try await delete(2, "joon") == "400 word")
      _ = try await admin.call(.POST, "workspaces/1/hold", [:])
      #expect(try await delete(2, yard.b.email) == "409 held")
      _ = try await admin.call(.POST, "workspaces/1/release", [:])
      #expect(try await delete(2, yard.b.email) == "200")
      let gone = try await admin.call(.GET, "accounts/2").json["account"]
      #expect(gone?["deletedAt"]?.string != nil && gone?["email"] != .text(yard.b.email))
      // A deleted account has an address of its own, but nothing more can be done with it.
      #expect(try await admin.outcome(.POST, "accounts/2/enable", [:]) == "404 notFound")
      _ = try await world.server.madang.database.write {
        try $0.execute("UPDATE users SET pending_at = 5 WHERE id = 3")
      }
      #expect(try await admin.call(.POST, "accounts/3/reject", [:]).json["account"]?["deletedAt"]?.string != nil)
      let entries = try await admin.call(.GET, "audit?kind=accountDeleted").json["entries"]?.list ?? []
      #expect(
        entries.map { $0["actor"] } == [
          .text("administrator #1 hana@example.com"), .text("administrator #1 hana@example.com"),
        ])
    }
  }
}
