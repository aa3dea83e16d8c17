import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Invitations to a workspace", .timeLimit(.minutes(5)))
struct InvitedWorkspaceTests {
  private static let builders: WorkspaceName = "Weekend Builders"
  private static let invited = Invited(workspace: builders, inviter: "Hana")

  private static func settings(_ mode: Registration = .invite) -> ServerSettings {
    var settings = RegistrationTests.settings(mode)
    settings.publicURL = "https://chat.example.com"
    return settings
  }

  /// An owner and the owner's workspace. The owner needs no invitation.
  private static func owner(_ world: World) async throws -> (person: TestPerson, workspace: String) {
    _ = try await world.server.madang.invite(email: "mina@example.com", days: 1, by: .hana)
    let mina = try await world.signUp("Mina")
    try await world.server.madang.endWaiting(of: mina.email)
    return (mina, try await mina.workspace())
  }

  /// The members of the workspace and those of its channels, as numbers of accounts.
  private static func members(_ world: World) async throws -> [[Int64]] {
    try await world.server.madang.database.read { transaction in
      try ["workspace_members", "channel_members"].map { table in
        try transaction.all("SELECT user_id FROM \(raw: table) ORDER BY user_id") { try $0.get("user_id") }
      }
    }
  }

  private static func page(_ world: World, _ code: String, language: String = "en") async throws -> (Int, String) {
    let answer = try await world.call(
      .GET, "/invite/\(code)", key: nil, headers: [("Accept-Language", language)])
    return (answer.status, String(decoding: answer.body, as: UTF8.self))
  }

  /// Signs in with Kakao, which vouches for the address.
  private static func signIn(_ world: World, _ name: String) async throws {
    let token = try await world.socialToken("kakao", name, "\(name)@example.com", nickname: name)
    #expect(try await world.call(.POST, "users/login/kakao", .json(["oauthToken": .text(token)])).status == 200)
  }

  @Test(
    "who signs up with an invited address and shows neither a code nor that the address is theirs joins nothing",
    arguments: TestEngine.available, [Registration.invite, .open])
  func guessed(_ engine: TestEngine, _ mode: Registration) async throws {
    try await World.run(engine, settings: Self.settings(mode)) { (world) async throws in
      let madang = world.server.madang
      _ = try await Self.owner(world)
      let link = try await madang.invite(email: "joon@example.com", days: 1, to: Self.invited, by: .hana).link
      let other = try await madang.invite(email: "sora@example.com", days: 1, to: Self.invited, by: .hana).link
      func signUp(_ name: String, _ code: String?) async throws {
        var origin = Origin(edition: "2024-10", address: "127.0.0.1")
        origin.invitation = code
        let draft = SignUp(
          email: "\(name)@example.com", password: World.password, nickname: name, phone: nil, deviceToken: nil)
        _ = try await madang.signUp(draft, from: origin, turn: "")
      }
      // The code of another address shows nothing.
      try await signUp("joon", other.text)
      #expect(try await RegistrationTests.join(world, "JOON@example.com").code == "E12")
      #expect(try await Self.members(world) == [[1], [1]])
      let entry = try #require(try await AuditTests.entries(world, .memberNotAdded).first)
      #expect(entry.subject == "joon@example.com" && entry.detail["because"]?.contains("no code") == true)
      try await signUp("sora", other.text)
      #expect(try await Self.members(world) == [[1, 3], [1, 3]])
      #expect(link.text != other.text)
    }
  }

  private static func post(_ world: World, _ code: String, _ email: String) async throws -> Int {
    let form = World.Body.form("email=\(email.replacing("@", with: "%40"))")
    return try await world.call(.POST, "/invite/\(code)", key: nil, form).status
  }

  @Test(
    "a new account joins the workspace of its invitation, also where all may sign up", arguments: TestEngine.available,
    [Registration.invite, .open])
  func joins(_ engine: TestEngine, _ mode: Registration) async throws {
    try await World.run(engine, settings: Self.settings(mode)) { (world) async throws in
      let madang = world.server.madang
      let mina = try await Self.owner(world)
      _ = try await madang.invite(email: "joon@example.com", days: 1, to: Self.invited, by: .hana)
      let code = try await madang.inviteByCode(uses: 2, days: 1, to: Self.invited, by: .hana).code.text
      #expect(try await Self.post(world, code, "sora@example.com") == 200)
      for name in ["joon", "sora"] { try await Self.signIn(world, name) }
      #expect(try await Self.post(world, code, "dana@example.com") == 200)
      try await Self.signIn(world, "dana")
      #expect(try await Self.members(world) == [[1, 2, 3, 4], [1, 2, 3, 4]])
      #expect(try await mina.person.call(.GET, "\(mina.workspace)/members").json.list?.count == 4)
      let entries = try await AuditTests.entries(world, .memberAdded)
      #expect(entries.map(\.subject) == ["joon@example.com", "sora@example.com", "dana@example.com"])
      #expect(entries.first?.actor == "account 2")
      #expect(entries.first?.detail["workspace"] == Self.builders.text && entries.first?.detail["invitation"] != nil)
      // Used up: a sign-in joins nothing.
      try await Self.signIn(world, "dana")
      #expect(try await AuditTests.entries(world, .memberAdded).count == 3)
    }
  }

  @Test("an account joins all workspaces that it is invited to", arguments: TestEngine.available)
  func several(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let madang = world.server.madang
      let mina = try await Self.owner(world)
      _ = try await madang.giveCoins(200, email: mina.person.email, note: "for a second workspace", by: .hana)
      _ = try await mina.person.workspace("Readers")
      _ = try await madang.invite(email: "joon@example.com", days: 1, to: Self.invited, by: .hana)
      let readers = Invited(workspace: "Readers")
      let code = try await madang.inviteByCode(uses: 2, days: 1, to: readers, by: .hana).code.text
      for _ in 0..<2 { #expect(try await Self.post(world, code, "joon@example.com") == 200) }
      try await Self.signIn(world, "joon")
      #expect(try await Self.members(world) == [[1, 1, 2, 2], [1, 1, 2, 2]])
      #expect(try await madang.invitations(after: nil, limit: 10).elements.map(\.usesLeft) == [0, 0, 1, 0])
    }
  }

  @Test(
    "a workspace that is full or deleted does not prevent the account, and the page says so",
    arguments: TestEngine.available, [true, false])
  func unavailable(_ engine: TestEngine, _ isFull: Bool) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let madang = world.server.madang
      _ = try await Self.owner(world)
      let made = try await madang.invite(email: "joon@example.com", days: 1, to: Self.invited, by: .hana)
      let free = try await Self.page(world, made.link.text).1
      #expect(!free.contains("class=\"facts\""))
      if isFull {
        let quota = WorkspaceQuota(channels: nil, members: 1, fileBytes: nil)
        _ = try await madang.setQuota(quota, of: Self.builders, by: .hana)
      } else {
        _ = try await madang.deleteWorkspace(Self.builders, by: .hana)
      }
      let page = try await Self.page(world, made.link.text).1
      #expect(page.contains(isFull ? "as many members as it may have" : "was deleted"))
      #expect(page.contains("Weekend Builders") == isFull)
      try await Self.signIn(world, "joon")
      let entry = try #require(try await AuditTests.entries(world, .memberNotAdded).first)
      #expect(entry.subject == "joon@example.com" && entry.detail["because"]?.isEmpty == false)
      #expect(try await AuditTests.entries(world, .memberAdded).isEmpty)
      await #expect(throws: Failure.self) {
        _ = try await madang.invite(email: "x@example.com", days: 1, to: Invited(workspace: "unknown"), by: .hana)
      }
    }
  }

  @Test(
    "an account that waits joins as soon as it is confirmed and approved", arguments: TestEngine.available,
    [[Waiting.confirmation], [.approval], [.confirmation, .approval]])
  func waiting(_ engine: TestEngine, _ waits: [Waiting]) async throws {
    var settings = Self.settings()
    if waits.contains(.confirmation) { settings.registration.confirmation = .limited }
    settings.registration.needsApproval = waits.contains(.approval)
    try await World.run(engine, settings: settings) { (world) async throws in
      let madang = world.server.madang
      _ = try await Self.owner(world)
      _ = try await madang.invite(email: "joon@example.com", days: 1, to: Self.invited, by: .hana)
      if waits.contains(.confirmation) {
        #expect(try await RegistrationTests.join(world, "joon@example.com").status == 200)
      } else {
        try await Self.signIn(world, "joon")
      }
      for step in waits {
        #expect(try await Self.members(world) == [[1], [1]])
        switch step {
        case .confirmation: _ = try await madang.confirmAddress(of: "joon@example.com", by: .hana)
        case .approval: _ = try await madang.approveAccount(email: "joon@example.com", by: .hana)
        }
      }
      #expect(try await Self.members(world) == [[1, 2], [1, 2]])
    }
  }

  @Test(
    "the page names who invites to what, in the reader's language, to the holder of the code alone",
    arguments: TestEngine.available)
  func page(_ engine: TestEngine) async throws {
    var settings = Self.settings()
    settings.web.chat = true
    settings.web.name = "Club"
    settings.appLink = "madang://open"
    try await World.run(engine, settings: settings) { (world) async throws in
      let madang = world.server.madang
      _ = try await Self.owner(world)
      let link = try await madang.invite(email: "joon@example.com", days: 1, to: Self.invited, by: .hana).link.text
      let (status, english) = try await Self.page(world, link)
      #expect(status == 200 && english.contains("<h1>Hana invites you to “Weekend Builders” at Club</h1>"))
      #expect(english.contains("joon@example.com") && !english.contains("<form"))
      #expect(english.contains("href=\"madang://open\"") && english.contains("href=\"/#invitation=\(link)\""))
      #expect(english.contains("The invitation is for a new account."))
      let korean = try await Self.page(world, link, language: "ko").1
      #expect(korean.contains("<h1>Hana 님이 Club의 “Weekend Builders” 워크스페이스에 초대했어요</h1>"))

      let unknown = try await Self.page(world, String(repeating: "0", count: 32))
      #expect(unknown.0 == 404 && !unknown.1.contains("Hana") && !unknown.1.contains("Weekend"))
      // The link of an address invites no other one.
      #expect(try await Self.post(world, link, "sora@example.com") == 404)
      #expect(try await Self.post(world, link, "Joon@example.com") == 200)
      #expect(try await RegistrationTests.join(world, "sora@example.com").code == "E11")
      #expect(try await RegistrationTests.join(world, "joon@example.com").status == 200)
      #expect(try await Self.page(world, link).0 == 404)

      // Names are text, on one line, and do not change the direction of the text around them.
      let odd = Invited(inviter: "<b>\u{202e}Mina")
      let code = try await madang.inviteByCode(uses: 1, days: 1, to: odd, by: .hana).code.text
      let page = try await Self.page(world, code).1
      #expect(page.contains("<h1>&lt;b&gt;Mina invites you to Club</h1>") && page.contains("<form"))
      #expect(!page.contains("The invitation is for a new account."))
      let plain = try await madang.inviteByCode(uses: 1, days: 1, by: .hana).code.text
      #expect(try await Self.page(world, plain).1.contains("<h1>You are invited to Club</h1>"))
    }
  }

  @Test("the link of an invitation is mailed if that is wanted", arguments: TestEngine.available)
  func mail(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let madang = world.server.madang
      _ = try await Self.owner(world)
      let made = try await madang.invite(
        email: "joon@example.com", days: 1, to: Self.invited, sendsMail: true, by: .hana)
      _ = try await madang.invite(email: "sora@example.com", days: 1, to: Self.invited, by: .hana)
      func mails() async throws -> [JSON] { try await world.call(.GET, "/_dev/mails", key: nil).json.list ?? [] }
      #expect(try await World.eventually { try await mails().count == 1 })
      let mail = try #require(try await mails().first)
      let body = mail["body"]?.string ?? ""
      #expect(mail["to"] == "joon@example.com" && mail["subject"] == "Madang: You are invited")
      #expect(body.contains("Hana invites you to “Weekend Builders” at Madang. "))
      #expect(body.contains("\nhttps://chat.example.com/invite/\(made.link.text)\n"))
      #expect(body.contains("because the operator of Madang entered this address"))
      let entries = try await AuditTests.entries(world, .invitationMade)
      #expect(entries.map { $0.detail["by"] } == [nil, "mail", nil])
      #expect(!entries.map { String(reflecting: $0) }.joined().contains(made.link.text))
    }
  }

  @Test("an address with an account is not invited, and the message names the cure")
  func known() async throws {
    try await World.run(.sqlite, settings: Self.settings()) { (world) async throws in
      _ = try await Self.owner(world)
      await #expect {
        _ = try await world.server.madang.invite(email: "mina@example.com", days: 1, to: Self.invited, by: .hana)
      } throws: { ($0 as? Failure)?.message.hasSuffix("; add the account to the workspace instead") == true }
    }
  }
}
