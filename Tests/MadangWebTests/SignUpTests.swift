import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Support
import Testing

@Suite("Sign-up in browsers", .timeLimit(.minutes(5)))
struct SignUpTests {
  private static func settings(_ mode: PageSignUp) -> ServerSettings { World.settings(\.web.signUp, mode) }

  @Test("open: the rules of registration decide", arguments: TestEngine.available)
  func open(_ engine: TestEngine) async throws {
    try await Browser.run(engine, settings: Self.settings(.open)) { (world) async throws in
      let browser = Browser(world)
      let account = try await browser.signUp("Mina").json["account"]
      #expect(account?["nickname"] == "Mina" && account?["sesacCoin"] == 100)
      #expect(try await browser.call(.GET, "v1/users/me").json == account)
      #expect(try await Browser(world).signUp("Mina").code == "E12")
    }
    var closed = Self.settings(.open)
    closed.registration.mode = .closed
    try await Browser.run(engine, settings: closed) { (world) async throws in
      #expect(try await Browser(world).signUp("Mina").code == "E11")
    }
  }

  @Test("invitation: a code or an invited address is needed, although apps need none", arguments: TestEngine.available)
  func invitation(_ engine: TestEngine) async throws {
    try await Browser.run(engine, settings: Self.settings(.invitation)) { (world) async throws in
      let madang = world.server.madang
      let code = try await madang.inviteByCode(uses: 1, days: 1, by: .hana).code.text
      _ = try await madang.invite(email: "sora@example.com", days: 1, by: .hana)
      #expect(try await Browser(world).signUp("Mina").code == "E11")
      #expect(try await Browser(world).signUp("Mina", invitation: "x").code == "E11")
      #expect(try await Browser(world).signUp("Mina", invitation: code).json["account"]?["nickname"] == "Mina")
      #expect(try await Browser(world).signUp("Joon", invitation: code).code == "E11", "used up")
      #expect(try await Browser(world).signUp("Sora").json["account"]?["nickname"] == "Sora")
      // A key does not help a page.
      let browser = Browser(world)
      try await browser.open()
      let body: JSON = ["email": "joon@example.com", "password": .text(World.password), "nickname": "Joon"]
      #expect(
        try await browser.call(.POST, "accounts", headers: [("SesacKey", "dev-key-2024-10")], .json(body)).code == "E11"
      )
      _ = try await world.signUp("Joon")
    }
  }

  @Test(
    "open: the code of a link leads to its workspace, and an old link prevents nothing", arguments: TestEngine.available
  )
  func openWithCode(_ engine: TestEngine) async throws {
    try await Browser.run(engine, settings: Self.settings(.open)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      _ = try await mina.workspace()
      let invited = Invited(workspace: "Weekend Builders")
      let code = try await world.server.madang.inviteByCode(uses: 1, days: 1, to: invited, by: .hana).code.text
      let joon = Browser(world)
      #expect(try await joon.signUp("Joon", invitation: code).json["account"]?["nickname"] == "Joon")
      #expect(try await joon.call(.GET, "v1/workspaces").json.list?.count == 1)
      let sora = Browser(world)
      #expect(try await sora.signUp("Sora", invitation: code).json["account"]?["nickname"] == "Sora")
      #expect(try await sora.call(.GET, "v1/workspaces").json.list?.count == 0)
    }
  }

  @Test("off: an invitation does not help in a browser")
  func off() async throws {
    try await Browser.run(.sqlite, settings: Self.settings(.off)) { (world) async throws in
      let code = try await world.server.madang.inviteByCode(uses: 1, days: 1, by: .hana).code.text
      #expect(try await Browser(world).signUp("Mina", invitation: code).code == "E11")
      #expect(try await Browser(world).call(.GET, "session").json["server"]?["signup"] == "off")
      _ = try await world.signUp("Mina")
    }
  }

  @Test(
    "an account that waits for something has no session yet", arguments: TestEngine.available,
    ["confirmation", "approval"])
  func waiting(_ engine: TestEngine, _ what: String) async throws {
    var settings = Self.settings(.open)
    settings.publicURL = "https://chat.example.com"
    if what == "approval" {
      settings.registration.needsApproval = true
    } else {
      settings.registration.confirmation = .required
    }
    try await Browser.run(engine, settings: settings) { (world) async throws in
      let browser = Browser(world)
      let made = try await browser.signUp("Mina").json
      #expect(made["account"] == .null && made["waits"] == .text(what))
      #expect(try await browser.call(.GET, "v1/users/me").code == "E02")
      let ended = try await world.server.madang.endSessions(email: "mina@example.com", by: .hana)
      #expect(ended == 0)
    }
  }
}
