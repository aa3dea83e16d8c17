import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Support
import Testing

/// What pages learn beside the wire.
@Suite("Words for pages beside the codes", .timeLimit(.minutes(5)))
struct PageWordsTests {
  private static let why = "X-Madang-Why"
  private static let readOnly = "X-Madang-Read-Only"

  @Test(
    "a disabled account is named as such in a browser, after the right password only; apps get the same answer as before",
    arguments: TestEngine.available)
  func disabled(_ engine: TestEngine) async throws {
    try await Browser.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      _ = try await world.server.madang.disable(email: mina.email, by: .hana)
      let right = try await Browser(world).signIn(mina.email)
      #expect(right.code == "E03" && right.headers[Self.why] == ["disabled"])
      for (email, password) in [(mina.email, "Wrong1234!"), ("unknown@example.com", World.password)] {
        let wrong = try await Browser(world).signIn(email, password: password)
        #expect(wrong.code == "E03" && wrong.headers[Self.why] == [] && wrong.body == right.body)
      }
      func app(_ password: String) async throws -> World.Answer {
        try await world.call(
          .POST, "users/login", .json(["email": .text(mina.email), "password": .text(password)]))
      }
      let (known, unknown) = (try await app(World.password), try await app("Wrong1234!"))
      #expect(known.status == unknown.status && known.body == unknown.body)
      func names(_ answer: World.Answer) -> [String] {
        // In development mode a header explains each refusal.
        answer.headers.map(\.name).filter { $0 != "X-Madang-Explanation" }
      }
      #expect(names(known) == names(unknown))
    }
  }

  @Test(
    "each answer to a page says that read-only mode is on, none to an app does; a post that was refused is sent once afterwards",
    arguments: TestEngine.available)
  func mode(_ engine: TestEngine) async throws {
    var settings = World.settings(\.web.admin.isOn, true)
    settings.web.chat = true
    try await Browser.run(engine, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      let browser = Browser(world)
      #expect(try await browser.signIn(mina.email).headers[Self.readOnly] == [])
      // By another process: the server learns it from the database.
      _ = try await world.server.madang.beginReadOnlyMode(reason: "a new disk", by: .hana)
      func post() async throws -> World.Answer {
        try await browser.call(
          .POST, "v1/\(channel)/chats", headers: [("X-Madang-Once", "one")], .json(["content": "hello"]))
      }
      let refused = try await post()
      #expect(refused.code == "E99" && refused.headers[Self.why] == ["readOnly"])
      #expect(refused.headers[Self.readOnly] == ["1"])
      #expect(try await browser.call(.GET, "v1/users/me").headers[Self.readOnly] == ["1"])
      let app = try await mina.call(.POST, "\(channel)/chats", .json(["content": "hello"]))
      #expect(app.code == "E99" && app.headers[Self.why] == [] && app.headers[Self.readOnly] == [])
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await hana.call(.POST, "read-only", ["isOn": false]).status == 200)
      #expect(try await browser.call(.GET, "v1/users/me").headers[Self.readOnly] == [])
      for _ in 0..<2 { #expect(try await post().status == 200) }
      #expect(try await mina.get("\(channel)/chats").list?.count == 1)
    }
  }
}
