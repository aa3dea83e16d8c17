import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Sign-ins from new places", .timeLimit(.minutes(5)))
struct SignInPlacesTests {
  private static let day: Int64 = 24 * 3_600_000
  private static let phone = "SLP/1.0 (com.example.slp; build:1; iOS 18.0.0) Alamofire/5.9.1"
  private static let computer = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15"

  private static func settings(_ change: (inout ServerSettings) -> Void = { _ in }) throws -> ServerSettings {
    var settings = World.settings(\.publicURL, "https://chat.example.com")
    settings.trustedProxies = [try #require(IPNetwork("127.0.0.0/8"))]
    change(&settings)
    return settings
  }

  private static func join(_ world: World, _ email: String, from address: String = "203.0.113.5") async throws {
    let answer = try await world.call(
      .POST, "users/join", headers: headers(address),
      .json(["email": .text(email), "password": .text(World.password), "nickname": "Mina"]))
    try #require(answer.status == 200)
  }

  private static func signIn(_ world: World, _ email: String, from address: String?, by device: String = phone)
    async throws
  {
    let answer = try await world.call(
      .POST, "users/login", headers: headers(address, by: device),
      .json(["email": .text(email), "password": .text(World.password)]))
    try #require(answer.status == 200)
  }

  private static func headers(_ address: String?, by device: String = phone) -> [(String, String)] {
    [("User-Agent", device)] + (address.map { [("X-Forwarded-For", $0)] } ?? [])
  }

  /// Mails about sign-ins to an address, as soon as none waits.
  private static func mails(_ world: World, to email: String) async throws -> [String] {
    #expect(try await World.eventually { try await world.server.madang.waitingMails() == 0 })
    let mails = try await world.call(.GET, "/_dev/mails?to=\(email)", key: nil).json.list ?? []
    return mails.filter { $0["kind"]?.string == "newSignIn" }.compactMap { $0["body"]?.string }
  }

  private static func places(_ world: World) async throws -> Int {
    try await world.server.madang.database.read { transaction in
      try transaction.one("SELECT COUNT(*) AS number FROM sign_in_places") { try $0.get("number") }
    }
  }

  @Test(
    "a sign-in from a new place sends its owner one mail with time, network and device",
    arguments: TestEngine.available)
  func told(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: try Self.settings()) { (world) async throws in
      let email = "mina@example.com"
      try await Self.join(world, email)
      // The place of the sign-up, and another address of its network.
      for address in ["203.0.113.5", "203.0.113.77"] { try await Self.signIn(world, email, from: address) }
      #expect(try await Self.mails(world, to: email).isEmpty)
      for _ in 0..<2 { try await Self.signIn(world, email, from: "198.51.100.9") }
      let body = try #require(try await Self.mails(world, to: email).first)
      #expect(body.contains("Network: 198.51.100.0/24\n") && body.contains("Device: an iPhone or iPad\n"))
      let time = WireDate.string(world.clock.now).prefix(19).replacing("T", with: " ")
      #expect(body.contains("When: \(time) UTC\n") && body.contains("https://chat.example.com/password\n"))
      #expect(!body.contains("198.51.100.9"))
      try await Self.signIn(world, email, from: "203.0.113.5", by: Self.computer)
      try await Self.signIn(world, email, from: "2001:db8:1:2::3")
      try await Self.signIn(world, email, from: "2001:db8:1:ffff::4")
      let bodies = try await Self.mails(world, to: email)
      #expect(bodies.count == 3)
      #expect(bodies[1].contains("Device: a Mac\n") && bodies[2].contains("Network: 2001:db8:1::/48\n"))
      let marks = try await AuditTests.entries(world, .signIn).map { $0.detail["place"] ?? "" }
      #expect(marks == ["", "", "new", "", "new", "new", ""])
    }
  }

  @Test(
    "forged forwarding headers neither hide a network nor imitate a known place",
    arguments: TestEngine.available)
  func forged(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: try Self.settings()) { (world) async throws in
      let email = "mina@example.com"
      try await Self.join(world, email)
      try await Self.signIn(world, email, from: "203.0.113.5, 198.51.100.9")
      try await Self.signIn(world, email, from: "203.0.113.5, 192.0.2.7")
      let both = Self.headers("198.51.101.9") + [("Forwarded", "for=203.0.113.5")]
      let answer = try await world.call(
        .POST, "users/login", headers: both, .json(["email": .text(email), "password": .text(World.password)]))
      #expect(answer.status == 200)
      let networks = try await Self.mails(world, to: email).compactMap { body in
        body.split(separator: "\n").first { $0.hasPrefix("Network: ") }?.dropFirst(9)
      }
      #expect(networks == ["198.51.100.0/24", "192.0.2.0/24", "198.51.101.0/24 or 203.0.113.0/24"])
      // Behind a proxy that sends no addresses, all clients are at one place.
      for _ in 0..<2 { try await Self.signIn(world, email, from: nil) }
      let bodies = try await Self.mails(world, to: email)
      #expect(bodies.count == 4 && bodies[3].contains("Network: not known\n"))
    }
  }

  @Test(
    "other mails do not suppress the mail about a sign-in",
    arguments: TestEngine.available)
  func strangers(_ engine: TestEngine) async throws {
    let settings = try Self.settings { ($0.mailing.accountDay, $0.mailing.hour, $0.mailing.signIns) = (1, 2, 100) }
    try await World.run(engine, settings: settings) { (world) async throws in
      let (email, madang) = ("mina@example.com", world.server.madang)
      try await Self.join(world, email)
      try await madang.sendPasswordReset(to: email, from: "")
      await #expect(throws: MailLeftOut.self) { try await madang.sendPasswordReset(to: email, from: "") }
      try await Self.signIn(world, email, from: "198.51.100.9")
      #expect(try await Self.mails(world, to: email).count == 1)
      _ = try await madang.resetPassword(email: email, to: World.password, by: .hana)
      for _ in 0..<2 { try await Self.signIn(world, email, from: "198.51.100.9") }
      #expect(try await Self.mails(world, to: email).count == 2)
    }
  }

  @Test(
    "mails about sign-ins have their own hourly limit",
    arguments: TestEngine.available)
  func hourly(_ engine: TestEngine) async throws {
    let settings = try Self.settings { ($0.mailing.hour, $0.mailing.signIns) = (2, 100) }
    try await World.run(engine, settings: settings) { (world) async throws in
      for name in ["mina", "joon"] {
        try await Self.join(world, "\(name)@example.com")
        for network in 1...3 { try await Self.signIn(world, "\(name)@example.com", from: "198.51.\(network).9") }
      }
      #expect(try await Self.mails(world, to: "mina@example.com").count == 2)
      #expect(try await Self.mails(world, to: "joon@example.com").isEmpty)
      try await world.server.madang.sendPasswordReset(to: "mina@example.com", from: "")
      world.clock.advance(milliseconds: 3_600_000)
      try await Self.signIn(world, "joon@example.com", from: "198.51.3.9")
      #expect(try await Self.mails(world, to: "joon@example.com").count == 1)
    }
  }

  @Test("a place whose mail could not be sent counts as new again", arguments: TestEngine.available)
  func untold(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: try Self.settings { $0.mailing.queue = 0 }) { (world) async throws in
      let email = "mina@example.com"
      try await Self.join(world, email)
      for _ in 0..<2 { try await Self.signIn(world, email, from: "198.51.100.9") }
      let marks = try await AuditTests.entries(world, .signIn).map { $0.detail["place"] ?? "" }
      #expect(marks == ["new", "new"])
      #expect(try await Self.places(world) == 1)
    }
  }

  @Test(
    "the first place of an older account sends no mail, nor does any while switched off",
    arguments: TestEngine.available)
  func first(_ engine: TestEngine) async throws {
    try await BackupScene.place(engine) { settings, _ in
      var settings = settings
      settings.publicURL = "https://chat.example.com"
      settings.trustedProxies = try Self.settings().trustedProxies
      settings.mailing.signIns = 0
      let email = "mina@example.com"
      try await World.run(settings) { world in
        try await Self.join(world, email)
        try await Self.signIn(world, email, from: "198.51.100.9")
        #expect(try await Self.mails(world, to: email).isEmpty)
        #expect(try await Self.places(world) == 0)
      }
      settings.mailing.signIns = 1
      try await World.run(settings) { world in
        try await Self.signIn(world, email, from: "203.0.113.5")
        #expect(try await Self.mails(world, to: email).isEmpty)
        // So many a day.
        for network in 1...3 { try await Self.signIn(world, email, from: "198.51.\(network).9") }
        #expect(try await Self.mails(world, to: email).count == 1)
        world.clock.advance(milliseconds: Self.day)
        try await Self.signIn(world, email, from: "198.51.4.9")
        #expect(try await Self.mails(world, to: email).count == 2)
      }
    }
  }

  @Test("an unconfirmed address gets no mail about sign-ins", arguments: TestEngine.available)
  func unconfirmed(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: try Self.settings { $0.registration.confirmation = .limited }) {
      (world) async throws in
      let email = "mina@example.com"
      try await Self.join(world, email)
      try await Self.signIn(world, email, from: "198.51.100.9")
      #expect(try await Self.mails(world, to: email).isEmpty)
      _ = try await world.server.madang.confirmAddress(of: email, by: .hana)
      try await Self.signIn(world, email, from: "198.51.101.9")
      #expect(try await Self.mails(world, to: email).count == 1)
    }
  }

  @Test(
    "remembered places are limited in number and days, and deleted with the account",
    arguments: TestEngine.available)
  func forgotten(_ engine: TestEngine) async throws {
    let settings = try Self.settings { ($0.mailing.signInPlaces, $0.mailing.signIns) = (3, 100) }
    try await World.run(engine, settings: settings) { (world) async throws in
      let (email, madang) = ("mina@example.com", world.server.madang)
      try await Self.join(world, email)
      for network in 1...4 {
        world.clock.advance(milliseconds: 1000)
        try await Self.signIn(world, email, from: "198.51.\(network).9")
      }
      #expect(try await Self.places(world) == 3)
      #expect(try await Self.mails(world, to: email).count == 4)
      // The oldest is new again.
      try await Self.signIn(world, email, from: "203.0.113.5")
      #expect(try await Self.mails(world, to: email).count == 5)
      world.clock.advance(milliseconds: 90 * Self.day)
      try await madang.forgetPlaces()
      try await madang.forgetMailCounts()
      #expect(try await Self.places(world) == 1)
      // The remaining place is too old to be known, but shows that there was one.
      try await Self.signIn(world, email, from: "203.0.113.5")
      #expect(try await Self.mails(world, to: email).count == 6)
      _ = try await madang.deleteAccount(email: email, by: .hana)
      #expect(try await Self.places(world) == 0)
    }
  }

  @Test("a changed key sends no mail about known places", arguments: TestEngine.available)
  func otherKey(_ engine: TestEngine) async throws {
    try await BackupScene.place(engine) { settings, _ in
      var settings = settings
      settings.publicURL = "https://chat.example.com"
      settings.trustedProxies = try Self.settings().trustedProxies
      let email = "mina@example.com"
      try await World.run(settings) { world in try await Self.join(world, email) }
      settings.tokenKey = String(repeating: "k", count: 64)
      try await World.run(settings) { world in
        try await Self.signIn(world, email, from: "203.0.113.5")
        #expect(try await Self.mails(world, to: email).isEmpty)
      }
    }
  }

  @Test("devices are named by the client's User-Agent")
  func devices() {
    let words = [
      Self.phone: "an iPhone or iPad", Self.computer: "a Mac",
      "SLP/1 CFNetwork/1490.0.4 Darwin/23.2.0": "an Apple device",
      "okhttp/4.12.0": "an Android device", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)": "an iPhone",
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64)": "a Windows computer",
      "Mozilla/5.0 (X11; Linux x86_64)": "a Linux computer",
      "": "not known", String(repeating: "x", count: 100_000) + "iphone": "not known",
    ]
    for (agent, device) in words { #expect(DeviceKind(userAgent: agent).rawValue == device) }
    #expect(DeviceKind(userAgent: nil) == .unknown)
  }
}
