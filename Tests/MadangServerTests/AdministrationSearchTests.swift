import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Lists of administrators", .timeLimit(.minutes(5)))
struct AdministrationSearchTests {
  /// Small pages, so that a few accounts are several of them.
  private static var settings: ServerSettings {
    var settings = World.settings
    (settings.domain.searchPage, settings.domain.searchLimit) = (2, 1000)
    return settings
  }

  @Test(
    "accounts are found by parts of address and nickname, ignoring case and composition, page by page",
    arguments: TestEngine.available)
  func accounts(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings) { world in
      let administration = RunningAdministrationTests.administration(world)
      for name in ["Mina", "Joon", "Sora", "Minji", "Theo", "MINSU", "Noah"] { _ = try await world.signUp(name) }
      _ = try await world.server.madang.database.write {
        try $0.execute("UPDATE users SET nickname = \("Élodie") WHERE id = 5")
      }
      func find(_ text: String, after: Int64? = nil, limit: Int = 10) async throws -> SearchedPage<AccountSummary> {
        try await administration.accounts(matching: text, after: after, limit: limit)
      }
      #expect(try await find("min").elements.map(\.number) == [1, 4, 6])
      #expect(try await find(" MINJI@Ex ").elements.map(\.number) == [4])
      #expect(try await find("e\u{301}LO").elements.map(\.number) == [5])
      #expect(try await find("100%").total == 0)
      let first = try await find("min", limit: 2)
      #expect(first.elements.map(\.number) == [1, 4] && first.next == 4 && first.total == 3)
      let second = try await find("min", after: 4, limit: 2)
      #expect(second.elements.map(\.number) == [6] && second.next == nil && second.total == nil)
      let all = try await find("", limit: 3)
      #expect(all.elements.map(\.number) == [1, 2, 3] && all.next == 3 && all.total == 7)
      #expect(try await find("", after: 6, limit: 3).next == nil)
      await #expect(throws: Failure.self) { _ = try await find(String(repeating: "x", count: 101)) }
    }
  }

  @Test(
    "a search examines a limited number of rows in one call, and the next page goes on there",
    arguments: TestEngine.available)
  func limited(_ engine: TestEngine) async throws {
    var settings = Self.settings
    settings.domain.searchLimit = 4
    try await World.run(engine, settings: settings) { world in
      let administration = RunningAdministrationTests.administration(world)
      for number in 0..<9 { _ = try await world.signUp(number == 8 ? "Sora" : "Mina\(number)") }
      var (pages, after, found) = (0, Int64?.none, [Int64]())
      repeat {
        let page = try await administration.accounts(matching: "sora", after: after, limit: 5)
        #expect(page.total == nil)
        (pages, after, found) = (pages + 1, page.next, found + page.elements.map(\.number))
      } while after != nil
      #expect(found == [9] && pages == 3)
    }
  }

  @Test("accounts are listed by their state", arguments: TestEngine.available)
  func states(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings) { world in
      let administration = RunningAdministrationTests.administration(world)
      for name in ["Mina", "Joon", "Sora", "Theo", "Noah"] { _ = try await world.signUp(name) }
      _ = try await administration.disable("joon@example.com")
      _ = try await administration.deleteAccount("sora@example.com")
      try await world.server.madang.database.write {
        try $0.execute("UPDATE users SET pending_at = 5 WHERE id = 4")
        try $0.execute("UPDATE users SET unconfirmed_at = 5 WHERE id = 5")
      }
      for (state, expected) in [
        (AccountStateName.active, [1]), (.disabled, [2]), (.deleted, [3]), (.pending, [4]), (.unconfirmed, [5]),
      ] as [(AccountStateName, [Int64])] {
        let page = try await administration.accounts(state: state, limit: 10)
        #expect(page.elements.map(\.number) == expected && page.total == 1, "\(state)")
      }
      #expect(try await administration.accounts(matching: "joon", state: .active, limit: 10).elements.isEmpty)
      let details = try await administration.accountDetails(3)
      #expect(details.signInMethod == nil && details.account.deletedAt != nil && details.sessions.isEmpty)
      await #expect(throws: Failure.self) { _ = try await administration.account(99) }
    }
  }

  @Test(
    "an account shows its workspaces, its sessions, and when its owner was last there", arguments: TestEngine.available)
  func details(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let administration = RunningAdministrationTests.administration(world)
      let yard = try await world.courtyard()
      let start = WireDate.string(world.clock.now)
      world.clock.advance(milliseconds: 60_000)
      _ = try await world.signIn(yard.b, through: .october2024)
      let later = WireDate.string(world.clock.now)
      let details = try await administration.accountDetails(2)
      #expect(details.account.email == yard.b.email && details.signInMethod == "password")
      #expect(details.workspaces.map(\.name) == ["Weekend Builders"] && details.workspaces.first?.isOwner == false)
      #expect(details.sessions.count == 2 && details.account.lastSeenAt == later)
      #expect(try await administration.account(1).lastSeenAt == start)
      world.clock.advance(milliseconds: 60_000)
      _ = try await administration.endSessions(of: yard.b.email)
      // The audit log knows it when no session is left.
      #expect(try await administration.account(2).lastSeenAt == later)
      _ = try await world.server.madang.database.write { try $0.execute("DELETE FROM audit") }
      #expect(try await administration.account(2).lastSeenAt == nil)
    }
  }

  @Test("workspaces are found by parts of their name and their owner's address", arguments: TestEngine.available)
  func workspaces(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings) { world in
      let administration = RunningAdministrationTests.administration(world)
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let books = try await mina.workspace("책모임")
      _ = (try await joon.workspace("Film club"), try await mina.workspace("Choir"))
      func find(_ text: String) async throws -> [String] {
        try await administration.workspaces(matching: text, limit: 10).elements.map(\.name)
      }
      #expect(try await find("모임") == ["책모임"])
      #expect(try await find("MINA@") == ["책모임", "Choir"])
      #expect(try await find("club") == ["Film club"])
      let page = try await administration.workspaces(limit: 2)
      #expect(page.elements.map(\.number) == [1, 2] && page.next == 2 && page.total == 3)
      _ = try await administration.setHold(true, of: "1")
      #expect(try await mina.code(.DELETE, books) == nil)
      // A deleted workspace is listed while it is on hold.
      #expect(try await administration.workspaces(limit: 9).total == 3)
      _ = try await administration.setHold(false, of: "1")
      #expect(try await administration.workspaces(limit: 9).total == 2)
    }
  }

  @Test("open invitations are the ones that can admit a person now", arguments: TestEngine.available)
  func invitations(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings) { world in
      let administration = RunningAdministrationTests.administration(world)
      for number in 1...4 { _ = try await administration.invite("n\(number)@example.com", days: number == 3 ? 1 : 9) }
      let code = try #require(try await administration.inviteByCode(uses: 1, days: 9).code)
      _ = try await administration.revokeInvitation(2)
      world.clock.advance(milliseconds: 2 * 24 * 3_600_000)
      try await world.server.madang.accept(code: code, email: "n6@example.com", from: "")
      let page = try await administration.invitations(isOpen: true, limit: 2)
      #expect(page.elements.map(\.number) == [1, 4] && page.next == 4 && page.total == 3)
      #expect(try await administration.invitations(isOpen: true, after: 4, limit: 2).elements.map(\.number) == [6])
      let all = try await administration.invitations(limit: 4)
      #expect(all.elements.map(\.number) == [1, 2, 3, 4] && all.next == 4 && all.total == 6)
    }
  }

  @Test("announcements and the audit log are read from the newest back", arguments: TestEngine.available)
  func newestFirst(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings) { world in
      let administration = RunningAdministrationTests.administration(world)
      let yard = try await world.courtyard()
      for number in 1...3 {
        _ = try await administration.announce("\(number)", title: "", from: yard.a.email, workspace: nil)
      }
      let page = try await administration.announcements(before: nil, limit: 2)
      #expect(page.elements.map(\.number) == [3, 2] && page.next == 2 && page.total == 3)
      let rest = try await administration.announcements(before: 2, limit: 2)
      #expect(rest.elements.map(\.number) == [1] && rest.next == nil)

      func entries(
        _ kinds: [String] = [], about part: String = "", before: Int64? = nil, limit: Int = 50
      ) async throws -> SearchedPage<AuditSummary> {
        var question = AuditQuestion()
        (question.kinds, question.limit) = (kinds, limit)
        return try await administration.auditPage(question, about: part, before: before)
      }
      let all = try await entries().elements.map(\.number)
      #expect(all == all.sorted(by: >) && all.count >= 6)
      var (read, before) = ([Int64](), Int64?.none)
      repeat {
        let page = try await entries(before: before, limit: 3)
        (read, before) = (read + page.elements.map(\.number), page.next)
      } while before != nil
      #expect(read == all)
      let made = try await entries(["announcementMade"], limit: 2)
      #expect(made.elements.map(\.kind) == ["announcementMade", "announcementMade"] && made.next != nil)
      #expect(try await entries(["announcementMade"], before: made.next).elements.count == 1)
      // A whole address selects an account's rows, also ones that name something else.
      #expect(try await entries(about: "JOON@example.com").elements.map(\.kind) == ["signUp"])
      let found = try await entries(about: "oon@EX")
      #expect(found.elements.map(\.subject) == ["joon@example.com"] && found.next == nil)
      #expect(try await entries(about: "example", limit: 2).elements.count == 2)
    }
  }
}
