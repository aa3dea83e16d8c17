import Foundation
import JWTKit
import MadangAPI
import MadangCore
import MadangOperations
import MadangProviders
import MadangServer
import NIOHTTP1
import Support
import Synchronization
import Testing

@Suite("Signing in with Apple and Kakao", .timeLimit(.minutes(5)))
struct SocialSignInTests {
  static func signIn(_ world: World, _ provider: String, _ fields: JSON) async throws -> World.Answer {
    try await world.call(.POST, "users/login/\(provider)", headers: [("Authorization", "stale")], .json(fields))
  }

  @Test("social sign-in refuses in the contract's order and makes nothing", arguments: TestEngine.available)
  func refusals(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let apple = { (fields: JSON) in try await Self.signIn(world, "apple", fields) }
      let kakao = { (token: String) in try await Self.signIn(world, "kakao", ["oauthToken": .text(token)]) }
      for fields in [[:], ["idToken": ""], ["idToken": nil], ["idToken": 7]] as [JSON] {
        #expect(try await apple(fields).code == "E11")
      }
      #expect(try await kakao("").code == "E11")
      #expect(try await apple(["idToken": "junk", "nickname": "M"]).code == "E03")
      #expect(try await kakao("junk").code == "E03")
      let bare = try await world.socialToken("apple", "1", nil)
      #expect(try await apple(["idToken": .text(bare), "nickname": "M"]).code == "E11")
      #expect(try await kakao(try await world.socialToken("kakao", "1", nil, nickname: "M")).code == "E11")
      let token = try await world.socialToken("apple", "2", "new@example.com")
      let tooLong: JSON = "0123456789012345678901234567890"
      #expect(try await apple(["idToken": .text(token), "nickname": tooLong]).code == "E11")
      let taken = try await world.socialToken("apple", "3", "MINA@example.com")
      #expect(try await apple(["idToken": .text(taken), "nickname": "M"]).code == "E12")
      #expect(try await kakao(try await world.socialToken("kakao", "3", mina.email, nickname: "M")).code == "E12")
      // Another provider's token is no token here.
      #expect(try await kakao(token).code == "E03")

      let made = try await apple(["idToken": .text(token), "nickname": "Sora"]).json
      #expect(made["nickname"] == "Sora" && made["profileImage"] == .null)
      // Its e-mail is taken for all other methods, and no password opens it.
      #expect(
        try await kakao(try await world.socialToken("kakao", "4", "new@example.com", nickname: "S")).code == "E12")
      let password: JSON = ["email": "new@example.com", "password": "Passw0rd!"]
      #expect(try await world.call(.POST, "users/login", .json(password)).code == "E03")
      // Later nicknames are ignored.
      let again: JSON = ["idToken": .text(token), "nickname": ""]
      #expect(try await apple(again).json["nickname"] == "Sora")
      // Kakao's own nickname is cut, or the e-mail's local part taken.
      let long = String(repeating: "각", count: 40)
      let names = [(long, String(repeating: "각", count: 30)), (" ", "local")]
      for (index, (name, expected)) in names.enumerated() {
        let token = try await world.socialToken("kakao", "1\(index)", "local@example\(index).com", nickname: name)
        #expect(try await kakao(token).json["nickname"] == .text(expected))
      }
    }
  }

  @Test(
    "a first Apple sign-in without a name takes the e-mail's local part, cut to 30 characters",
    arguments: TestEngine.available, EditionName.allCases)
  func appleWithoutName(_ engine: TestEngine, _ edition: EditionName) async throws {
    try await World.run(engine) { (world) async throws in
      let name = String(repeating: "m", count: 40)
      func signIn(_ token: String, _ fields: [String: JSON]) async throws -> JSON {
        let fields = fields.merging(["idToken": .text(token)]) { $1 }
        return try await world.call(
          .POST, "users/login/apple", key: edition.developmentKey, .json(.object(fields))
        ).json
      }
      for (index, nickname) in ([nil, .null, "", "  ", "\n"] as [JSON?]).enumerated() {
        let token = try await world.socialToken("apple", "\(index)", "mina.\(index)@example.com")
        let made = try await signIn(token, nickname.map { ["nickname": $0] } ?? [:])
        #expect(made["nickname"] == .text("mina.\(index)"), "\(String(describing: nickname))")
        // A name that comes later is ignored, as every later one is.
        #expect(try await signIn(token, ["nickname": "Mina"])["nickname"] == .text("mina.\(index)"))
      }
      let long = try await world.socialToken("apple", "long", "\(name)@example.com")
      #expect(try await signIn(long, [:])["nickname"] == .text(String(name.prefix(30))))
      let named = try await world.socialToken("apple", "named", "sora@example.com")
      #expect(try await signIn(named, ["nickname": " Sora "])["nickname"] == "Sora")
    }
  }

  @Test("parallel first sign-ins of one person all get the same account", arguments: TestEngine.available)
  func parallel(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let token = try await world.socialToken("kakao", "1", "mina@example.com", nickname: "Mina")
      let ids = try await withThrowingTaskGroup(of: JSON?.self) { group in
        for _ in 0..<20 {
          group.addTask { try await Self.signIn(world, "kakao", ["oauthToken": .text(token)]).json["user_id"] }
        }
        return try await group.reduce(into: []) { $0.append($1?.string) }
      }
      #expect(ids.count == 20 && Set(ids).count == 1 && ids[0] != nil)
    }
  }

  @Test("Kakao is asked for the token's owner and app")
  func kakao() async throws {
    let endless = String(repeating: "a", count: 16_385)
    try await FakeProvider.run { call in
      switch (call.path, call.authorization == "Bearer \(endless)" ? "Bearer good" : call.authorization) {
      case ("/v1/user/access_token_info", "Bearer good"): (200, #"{"id":42,"expires_in":100,"app_id":7}"#)
      case ("/v1/user/access_token_info", "Bearer foreign"): (200, #"{"id":42,"expires_in":100,"app_id":8}"#)
      case ("/v2/user/me", "Bearer good"):
        (
          200,
          #"""
          {"id":42,"properties":{"nickname":"old"},"kakao_account":{"email":"mina@example.com","is_email_valid":true,
           "is_email_verified":true,"profile":{"nickname":"Mina"}}}
          """#
        )
      case ("/v1/user/access_token_info", "Bearer unsure"): (200, #"{"id":43,"expires_in":100,"app_id":7}"#)
      case ("/v2/user/me", "Bearer unsure"):
        (
          200,
          #"{"id":43,"kakao_account":{"email":"joon@example.com","is_email_valid":true,"is_email_verified":false}}"#
        )
      case ("/v1/user/access_token_info", "Bearer silent"): (200, #"{"id":44,"expires_in":100,"app_id":7}"#)
      case ("/v2/user/me", "Bearer silent"):
        (200, #"{"id":44,"kakao_account":{"email":"joon@example.com","is_email_valid":true}}"#)
      case (_, "Bearer down"): (503, "")
      default: (401, #"{"msg":"this access token does not exist","code":-401}"#)
      }
    } _: { provider in
      var settings = World.settings
      settings.providers.kakao.url = provider.url
      settings.providers.kakao.app = 7
      settings.providers.timeout = .seconds(60)
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        let signIn = { (token: String) in try await Self.signIn(world, "kakao", ["oauthToken": .text(token)]) }
        let login = try await signIn("good").json
        #expect(login["nickname"] == "Mina" && login["email"] == "mina@example.com" && login["provider"] == "kakao")
        #expect(try await signIn("unsure").code == "E11")
        #expect(try await signIn("silent").code == "E11")
        for token in ["foreign", "stale", "down", "토큰", "a b", endless] {
          #expect(try await signIn(token).code == "E03", "\(token.prefix(10))")
        }
      }
    }
  }

  private struct Identity: JWTPayload {
    var iss = "https://appleid.apple.com"
    var aud = "com.example.chat"
    var sub = "001.abc"
    var exp: Double
    var email: String? = "mina@example.com"
    var emailVerified: JSON? = "true"

    enum CodingKeys: String, CodingKey {
      case iss, aud, sub, exp, email
      case emailVerified = "email_verified"
    }

    func verify(using key: some JWTAlgorithm) {}
  }

  @Test("an Apple identity token needs Apple's signature, issuer and audience, and time left")
  func apple() async throws {
    let key = ES256PrivateKey()
    let parameters = try #require(key.parameters)
    let (x, y) = (parameters.x, parameters.y)
    let asked = Atomic<Int>(0)
    let keys = JWTKeyCollection()
    await keys.add(ecdsa: key, kid: "k1")
    let others = JWTKeyCollection()
    await others.add(ecdsa: ES256PrivateKey(), kid: "k1")
    let base64url = { @Sendable (text: String) in
      text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    try await FakeProvider.run { _ in
      asked.add(1, ordering: .relaxed)
      return (
        200,
        #"{"keys":[{"kty":"EC","crv":"P-256","kid":"k1","alg":"ES256","use":"sig","x":"\#(base64url(x))","y":"\#(base64url(y))"}]}"#
      )
    } _: { provider in
      var settings = World.settings
      settings.providers.apple.keysURL = provider.url + "/auth/keys"
      settings.providers.apple.audiences = ["com.example.chat", "com.example.other"]
      settings.providers.timeout = .seconds(60)
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        let end = Double(world.clock.now / 1000 + 300)
        let signIn = { (token: String) in
          try await Self.signIn(world, "apple", ["idToken": .text(token), "nickname": "Mina"])
        }
        let good = try await keys.sign(Identity(exp: end), kid: "k1")
        #expect(try await signIn(good).json["email"] == "mina@example.com")
        #expect(try await signIn(good).status == 200)
        // Foundation's decoder ends the process at this depth.
        let nested = Data([UInt8](repeating: UInt8(ascii: "["), count: 513)).base64EncodedString()
        let bad = [
          try await keys.sign(Identity(iss: "https://example.com", exp: end), kid: "k1"),
          try await keys.sign(Identity(aud: "com.example.evil", exp: end), kid: "k1"),
          try await keys.sign(Identity(exp: end - 301), kid: "k1"),
          try await others.sign(Identity(exp: end), kid: "k1"), String(good.dropLast(4)), "a.b.c",
          "\(nested).e30.AAAA", "e30.\(nested).AAAA",
        ]
        for token in bad { #expect(try await signIn(token).code == "E03") }
        #expect(try await signIn(try await keys.sign(Identity(exp: end, email: nil), kid: "k1")).code == "E11")
        for flag in [nil, false, "false"] as [JSON?] {
          let unsure = Identity(sub: "002.def", exp: end, email: "joon@example.com", emailVerified: flag)
          #expect(try await signIn(try await keys.sign(unsure, kid: "k1")).code == "E11", "\(String(describing: flag))")
          // People with an account can still sign in.
          let known = Identity(exp: end, emailVerified: flag)
          #expect(try await signIn(try await keys.sign(known, kid: "k1")).status == 200)
        }
        // Junk does not make the server ask Apple over and over.
        #expect(asked.load(ordering: .relaxed) == 1)
        world.clock.advance(milliseconds: 301_000)
        #expect(try await signIn(good).code == "E03")
      }
    }
  }
}
