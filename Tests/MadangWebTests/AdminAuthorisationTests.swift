import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import NIOHTTP1
import Support
import Testing

@testable import MadangWeb

@Suite("Authorisation of the administrator's console", .timeLimit(.minutes(5)))
struct AdminAuthorisationTests {
  private static func rows() throws -> [AuthorisationRow] {
    try AuthorisationRow.all(under: "The administrator's console", callsIn: 0)
  }

  @Test("every call has a row in docs/reference/authorisation.md")
  func documented() throws {
    let described = Set(try Self.rows().map { "\($0.method.rawValue) \($0.path)" })
    #expect(described == Set(AdminConsole.routes.rows.map { "\($0.method.rawValue) \($0.template)" }))
  }

  @Test(
    "every call of the console answers every browser as docs/reference/authorisation.md says",
    arguments: TestEngine.available)
  func table(_ engine: TestEngine) async throws {
    let rows = try Self.rows()
    // So that rows can be tried without waiting.
    var settings = World.settings(\.web.admin.isOn, true)
    settings.callLimits.requests = 0
    settings.trustedProxies = [IPNetwork("127.0.0.1")].compactMap(\.self)
    try await Browser.run(engine, settings: settings) { (world) async throws in
      let (hana, before) = (try await AdminBrowser.administrator(world), AdminBrowser(world))
      let ended = AdminBrowser(copying: hana)
      try #require(try await hana.call(.DELETE, "session").status == 200)
      try await hana.open()
      try #require(try await hana.signIn(like: hana).status == 200)
      try await before.open()
      for row in rows {
        // No row has this number, and no call these fields: nothing is changed.
        let path = row.path.replacing("{number}", with: "999999").replacing("{token}", with: "unknown")
        let body: JSON? = row.method == .GET ? nil : ["unknown": 1]
        for (column, expected) in row.answers {
          let browsers = ["before sign-in": before, "ended session": ended]
          let browser = AdminBrowser(copying: browsers[column] ?? hana)
          if column == "no proof" { browser.proof = "" }
          var headers: [(String, String)] = []
          if column == "other origin" { headers = [("Origin", "https://other.example")] }
          if column == "no TLS" { headers = [("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-Proto", "http")] }
          // It would end the session that the others need.
          if column == "session", row.method == .DELETE, row.path == "session" { continue }
          let outcome = try await browser.outcome(row.method, path, body, headers: headers)
          let isRefused = ["401 signedOut", "403 proof", "403 origin", "403 transport"].contains(outcome)
          #expect((isRefused ? outcome : "answered") == expected, "\(row.method) \(row.path), \(column)")
        }
      }
    }
  }

  @Test("an address that shows many cookies of no session, or calls often without one, has to wait")
  func limited() async throws {
    var settings = World.settings(\.web.admin.isOn, true)
    settings.callLimits.requests = 5
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      let browser = AdminBrowser(world)
      for _ in 0..<5 { #expect(try await browser.outcome(.GET, "session") == "200") }
      let refused = try await browser.call(.GET, "session")
      #expect(refused.status == 429 && refused.headers["Retry-After"].first.flatMap { Int($0) } ?? 0 > 0)
      world.clock.advance(milliseconds: 60_000)
      let name = try #require(browser.cookies.keys.first)
      for at in 0..<8 {
        let forged = ("Cookie", "\(name)=\(String(repeating: "\(at)", count: 64))")
        let outcome = try await AdminBrowser(world).outcome(.GET, "overview", headers: [forged])
        #expect(outcome == (at < 5 ? "401 signedOut" : "429 wait"), "\(at)")
      }
    }
  }

  @Test("a session that calls too often has to wait, and another one does not")
  func limitedSession() async throws {
    var settings = World.settings(\.web.admin.isOn, true)
    settings.callLimits.requests = 9
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      let second = AdminBrowser(world)
      #expect(try await second.signIn(like: hana).status == 200)
      for _ in 0..<9 { #expect(try await hana.outcome(.GET, "overview") == "200") }
      #expect(try await hana.outcome(.GET, "overview") == "429 wait")
      #expect(try await second.outcome(.GET, "overview") == "200")
    }
  }
}
