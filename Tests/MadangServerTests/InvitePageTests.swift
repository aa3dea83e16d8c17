import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Invitation page", .timeLimit(.minutes(5)))
struct InvitePageTests {
  private static func post(_ world: World, _ code: String, _ email: String) async throws -> World.Answer {
    let email = email.replacing("@", with: "%40")
    return try await world.call(.POST, "/invite/\(code)", key: nil, .form("email=\(email)"))
  }

  private static func text(_ answer: World.Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

  @Test("the page of a code invites an e-mail, which can then sign up", arguments: TestEngine.available)
  func accept(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: RegistrationTests.settings(.invite)) { (world) async throws in
      let made = try await world.server.madang.inviteByCode(uses: 2, days: 1, by: .hana)
      let code = made.code.text
      #expect(code.utf8.count * 4 >= 100)
      let page = try await world.call(.GET, "/invite/\(code)", key: nil)
      #expect(page.status == 200 && Self.text(page).contains("<form method=\"post\">"))
      #expect(!Self.text(page).contains("<script") && !Self.text(page).contains(code))
      #expect(page.headers["Referrer-Policy"] == ["strict-origin"] && page.headers["Cache-Control"] == ["no-store"])
      #expect(page.headers["Content-Security-Policy"].first?.contains("frame-ancestors 'none'") == true)

      #expect(try await RegistrationTests.join(world, "mina@example.com").code == "E11")
      let wrong = try await Self.post(world, code, "<b>mina")
      #expect(wrong.status == 400 && Self.text(wrong).contains("<form") && !Self.text(wrong).contains("<b>mina"))
      // Twice costs one use.
      for _ in 0..<2 {
        let done = try await Self.post(world, code, "mina@example.com")
        #expect(done.status == 200 && !Self.text(done).contains("<form") && !Self.text(done).contains("mina@"))
      }
      #expect(try await RegistrationTests.join(world, "Mina@example.com").status == 200)
      // An address with an account costs no use, and the page does not say so.
      #expect(try await Self.post(world, code, "mina@example.com").status == 200)
      #expect(try await Self.post(world, code, "joon@example.com").status == 200)
      // Named again, as by a page that is loaded again: it is invited. Others learn nothing.
      #expect(try await Self.post(world, code, "joon@example.com").status == 200)
      #expect(try await Self.post(world, code, "sora@example.com").status == 404)
      #expect(try await world.call(.GET, "/invite/\(code)", key: nil).status == 404)
      #expect(try await RegistrationTests.join(world, "sora@example.com").code == "E11")
      let entries = try await AuditTests.entries(world, .invitationMade, .invitationAccepted)
      #expect(entries.map(\.subject) == ["code 1", "mina@example.com", "joon@example.com"])
      #expect(entries.last?.origin.address == "127.0.0.1" && entries.last?.detail["code"] == "1")
      #expect(!entries.map { String(reflecting: $0) }.joined().contains(code))
    }
  }

  @Test(
    "an unknown, expired or revoked code opens nothing, and its invitations are revoked with it",
    arguments: TestEngine.available)
  func invalid(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: RegistrationTests.settings(.invite)) { (world) async throws in
      let madang = world.server.madang
      for code in ["x", String(repeating: "0", count: 32), "%27--", String(repeating: "A", count: 32)] {
        #expect(try await world.call(.GET, "/invite/\(code)", key: nil).status == 404)
        #expect(try await Self.post(world, code, "mina@example.com").status == 404)
      }
      let made = try await madang.inviteByCode(uses: 5, days: 1, by: .hana)
      #expect(try await Self.post(world, made.code.text, "mina@example.com").status == 200)
      #expect(try await Self.post(world, made.code.text, "joon@example.com").status == 200)
      #expect(try await RegistrationTests.join(world, "joon@example.com").status == 200)
      _ = try await madang.revokeInvitation(made.invitation.id, by: .hana)
      #expect(try await Self.post(world, made.code.text, "sora@example.com").status == 404)
      #expect(try await RegistrationTests.join(world, "mina@example.com").code == "E11")
      let second = try await madang.inviteByCode(uses: 5, days: 1, by: .hana)
      world.clock.advance(milliseconds: 24 * 3_600_000)
      #expect(try await world.call(.GET, "/invite/\(second.code.text)", key: nil).status == 404)
      // No key, no page: other methods and paths are what they were.
      #expect(try await world.call(.PUT, "/invite/x", key: nil).code == "E01")
      #expect(try await world.call(.GET, "/invite", key: nil).code == "E01")
      #expect(try await world.call(.GET, "/invite/x/y", key: nil).code == "E01")
    }
  }

  @Test("a code is used only as often as it allows, also in parallel", arguments: TestEngine.available)
  func race(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: RegistrationTests.settings(.invite)) { (world) async throws in
      let code = try await world.server.madang.inviteByCode(uses: 3, days: 1, by: .hana).code.text
      let results = try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<12 {
          group.addTask { try await Self.post(world, code, "p\(index)@example.com").status }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(results.filter { $0 == 200 }.count == 3 && results.filter { $0 == 404 }.count == 9, "\(results)")
      let invitations = try await world.server.madang.invitations(after: nil, limit: 100).elements
      #expect(invitations.count == 4 && invitations.first?.usesLeft == 0)
    }
  }

  @Test("too many calls of the page are refused, like other calls without a session")
  func limits() async throws {
    var settings = RegistrationTests.settings(.invite)
    settings.callLimits.requests = 3
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let path = "/invite/\(String(repeating: "0", count: 32))"
      for _ in 0..<3 { #expect(try await world.call(.GET, path, key: nil).status == 404) }
      let refused = try await world.call(.GET, path, key: nil)
      #expect(refused.status == 429 && refused.headers["Retry-After"].first.flatMap { Int($0) } ?? 0 > 0)
    }
  }
}
