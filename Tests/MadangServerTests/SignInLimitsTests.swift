import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Storage
import Support
import Synchronization
import Testing

@testable import MadangOperations
@testable import MadangServer

@Suite("Limits of sign-ins", .timeLimit(.minutes(5)))
struct SignInLimitsTests {
  private static func code(
    _ world: World, _ email: String, _ password: String = "wrong", from address: String? = nil
  ) async throws -> String? {
    try await world.call(
      .POST, "users/login", headers: address.map { [("X-Forwarded-For", $0)] } ?? [],
      .json(["email": .text(email), "password": .text(password)])
    ).code
  }

  private static func settings() throws -> ServerSettings {
    World.settings(\.trustedProxies, [try #require(IPNetwork("127.0.0.1"))])
  }

  @Test("ten wrong passwords count for one account, however its e-mail is written", arguments: TestEngine.available)
  func canonical(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      for index in 0..<10 {
        let email = [mina.email + String(repeating: " ", count: index), mina.email.uppercased(), "\t" + mina.email][
          index % 3]
        #expect(try await Self.code(world, email) == "E03")
      }
      #expect(try await Self.code(world, mina.email + "   ", World.password) == "E98")
      world.clock.advance(milliseconds: 300_001)
      #expect(try await Self.code(world, mina.email, World.password) == nil)
    }
  }

  @Test(
    "ten of a hundred parallel wrong passwords are checked, and all of a hundred right ones",
    arguments: TestEngine.available)
  func parallel(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      func tries(_ password: String) async throws -> [String?] {
        try await withThrowingTaskGroup(of: String?.self) { group in
          for _ in 0..<100 { group.addTask { try await Self.code(world, mina.email, password) } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
      }
      #expect(try await tries(World.password).allSatisfy { $0 == nil })
      let wrong = try await tries("wrong")
      #expect(wrong.count { $0 == "E03" } == 10)
      #expect(wrong.count { $0 == "E98" } == 90)
    }
  }

  @Test(
    "a hundred wrong passwords from many addresses never slow down the account's own address",
    arguments: TestEngine.available)
  func anywhere(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: try Self.settings()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let home = "203.0.113.1"
      #expect(try await Self.code(world, mina.email, World.password, from: home) == nil)
      #expect(
        try await World.eventually {
          try await world.server.madang.isKnown(mina.email, at: home, within: 1000)
        })
      for index in 0..<100 { #expect(try await Self.code(world, mina.email, from: "198.51.100.\(index)") == "E03") }
      #expect(try await Self.code(world, mina.email, World.password, from: "198.51.100.200") == "E98")
      #expect(try await Self.code(world, mina.email, World.password, from: home) == nil)
      // One attempt every three seconds, so that an owner is not locked out for long.
      world.clock.advance(milliseconds: 3000)
      #expect(try await Self.code(world, mina.email, from: "198.51.100.201") == "E03")
      #expect(try await Self.code(world, mina.email, from: "198.51.100.202") == "E98")
    }
  }

  @Test("an address where the account signed in before is not slowed down, also after sign-out")
  func home() async throws {
    try await World.run(.sqlite, settings: try Self.settings()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let home = "203.0.113.1"
      let signIn: JSON = ["email": .text(mina.email), "password": .text(World.password)]
      let forwarded = [("X-Forwarded-For", home)]
      let login = try await world.call(.POST, "users/login", headers: forwarded, .json(signIn))
      let token = try #require(try login.json["token"]?["accessToken"]?.string)
      #expect(try await world.call(.GET, "users/logout", token: token, headers: forwarded).status == 200)
      for index in 0..<100 { #expect(try await Self.code(world, mina.email, from: "198.51.100.\(index)") == "E03") }
      #expect(try await Self.code(world, mina.email, World.password, from: "198.51.100.200") == "E98")
      #expect(try await Self.code(world, mina.email, World.password, from: home) == nil)
    }
  }

  @Test("an oversized password is wrong, and a letter with thousands of marks is not an e-mail")
  func dearTexts() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let dear = "a" + String(repeating: "\u{301}\u{323}", count: 1000)
      #expect(try await Self.code(world, mina.email, dear) == "E03")
      #expect(try await Self.code(world, "\(dear)@example.com") == "E11")
      #expect(try await mina.code(.PUT, "users/me", .json(["nickname": .text(dear)])) == "E11")
      #expect(try await mina.code(.GET, "workspaces/\(String(repeating: "%CC%81%CC%A3", count: 500))") == "E13")
      // Field names are not compared; the other texts count.
      let fields: JSON = ["nickname": "Mina", "phone": ""]
      let text = String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
      let body = #"{"\#(dear)":1,"# + text.dropFirst()
      #expect(try await mina.call(.PUT, "users/me", .raw(body, type: "application/json")).status == 200)
    }
  }

  @Test("limits still apply when the clock is set back")
  func steady() throws {
    let time = Atomic<Int64>(10_000_000)
    let clock = Clock({ time.load(ordering: .relaxed) }, steady: { 20_000_000 })
    let limits = CallLimits(CallLimitSettings(), clock: clock)
    try limits.count(.session(1))
    time.store(6_400_000, ordering: .relaxed)
    let other = Clock({ time.load(ordering: .relaxed) })
    #expect(other.steady != other.now)
    clock.advance(milliseconds: 10_000)
    for _ in 0..<600 { try limits.count(.session(1)) }
    #expect(throws: Refusal.self) { try limits.count(.session(1)) }
  }

  @Test("an address of IPv6 counts with its /64, and in one form with IPv4")
  func networks() async throws {
    try await World.run(.sqlite, settings: try Self.settings()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      for index in 0..<10 {
        #expect(try await Self.code(world, mina.email, from: "2001:db8:0:1::\(index + 1)") == "E03")
      }
      #expect(try await Self.code(world, mina.email, from: "2001:db8:0:1:ffff::1") == "E98")
      #expect(try await Self.code(world, mina.email, World.password, from: "2001:db8:0:2::1") == nil)
      for _ in 0..<5 {
        #expect(try await Self.code(world, mina.email, from: "192.0.2.7") == "E03")
        #expect(try await Self.code(world, mina.email, from: "::ffff:192.0.2.7") == "E03")
      }
      #expect(try await Self.code(world, mina.email, from: "192.0.2.7") == "E98")
    }
  }

  @Test("a token on a public route does not help: the address is counted")
  func shownTokens() async throws {
    try await World.run(.sqlite, settings: World.settings(\.callLimits.requests, 6)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let email = World.Body.json(["email": "new@example.com"])
      for _ in 0..<5 {
        #expect(try await world.call(.POST, "users/validation/email", token: mina.token, email).status == 200)
      }
      #expect(try await world.call(.POST, "users/validation/email", token: mina.token, email).code == "E98")
      #expect(try await mina.call(.GET, "users/me").status == 200)
    }
  }

  @Test("the hash of an earlier version is renewed at the next sign-in", arguments: TestEngine.available)
  func renewal(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      // "Passw0rd!", as earlier versions stored it with N = 16.
      let old = "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw==$zqOzPzQQK0yTFY5g6gNJJh8Zaeu+S8ZsvIRSa/Ea1zc="
      try await world.server.madang.replacePasswordHash(of: mina.email, by: old)
      #expect(try await Self.code(world, mina.email) == "E03")
      #expect(try await world.server.madang.passwordHash(of: mina.email) == old)
      #expect(try await Self.code(world, mina.email, World.password) == nil)
      #expect(
        try await world.server.madang.passwordHash(of: mina.email)?.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$") == true)
      #expect(try await Self.code(world, mina.email, World.password) == nil)
    }
  }
}

extension Madang {
  fileprivate func replacePasswordHash(of email: String, by hash: String) async throws {
    _ = try await database.write { try $0.execute("UPDATE users SET password_hash = \(hash) WHERE email = \(email)") }
  }

  fileprivate func passwordHash(of email: String) async throws -> String? {
    try await database.read { transaction in
      try transaction.first("SELECT password_hash FROM users WHERE email = \(email)") { try $0.get("password_hash") }
    }
  }
}
