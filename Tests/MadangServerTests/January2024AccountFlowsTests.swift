import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Support
import Testing

/// Accounts, payments and sessions as clients of edition 2024-01 use them (wire contract, Call sequences).
@Suite("Edition 2024-01: accounts and sessions", .timeLimit(.minutes(5)))
struct January2024AccountFlowsTests {
  static let key = DevelopmentKey.january2024
  static let userWithToken: Set<String> = [
    "user_id", "email", "nickname", "profileImage", "phone", "vendor", "createdAt", "token",
  ]
  static let myProfile: Set<String> = [
    "user_id", "email", "nickname", "profileImage", "phone", "vendor", "sesacCoin", "createdAt",
  ]

  static func refresh(_ person: TestPerson, _ access: String?) async throws -> World.Answer {
    try await person.world.call(
      .GET, "auth/refresh", token: access, key: key, headers: [("RefreshToken", person.refreshToken)])
  }

  @Test(
    "at launch a 2024-01 client refreshes without an access token; with a valid one it gets E04",
    arguments: TestEngine.available)
  func launch(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      // Without a workspace.
      for path in ["/v1/workspaces/-1/channels/my", "/v1/workspaces/0", "/v1/workspaces/-1"] {
        #expect(try await mina.call(.GET, path).code == "E13")
      }
      #expect(try await mina.get("workspaces") == [])

      let refreshed = try await Self.refresh(mina, nil).json
      #expect(refreshed.keys == ["accessToken"])
      let token = try #require(refreshed["accessToken"]?.string)
      #expect(try await Self.refresh(mina, mina.token).code == "E04")
      #expect(try await world.call(.GET, "users/my", token: token, key: Self.key).json["user_id"] == mina.userID)
      _ = try await mina.workspace("First")
      let second = try await mina.workspace("Second")
      let current = try await world.call(.GET, "workspaces", token: token, key: Self.key).json[0]
      #expect(current?["name"] == "Second")
      #expect("workspaces/\(current?["workspace_id"]?.id ?? "")" == second)
    }
  }

  @Test(
    "sign-up takes JSON and forms, with nulls and without optional fields; the e-mail check has an empty body",
    arguments: TestEngine.available)
  func signUp(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let bodies: [World.Body] = [.json(["email": "mina@example.com"]), .form("email=mina%40example.com")]
      for body in bodies {
        let answer = try await world.call(.POST, "users/validation/email", key: Self.key, body)
        #expect(answer.status == 200 && answer.body.isEmpty)
        #expect(answer.headers["content-length"] == ["0"])
      }
      let variants: [World.Body] = [
        .json([
          "email": "a@example.com", "password": "Passw0rd!", "nickname": "A", "phone": "010-1234-5678",
          "deviceToken": "fcm",
        ]),
        .json(["email": "b@example.com", "password": "Passw0rd!", "nickname": "B"]),
        .form("email=c%40example.com&password=Passw0rd%21&nickname=C&phone=&deviceToken="),
        .json([
          "email": "d@example.com", "password": "Passw0rd!", "nickname": "D", "phone": nil, "deviceToken": nil,
        ]),
      ]
      for (variant, phone) in zip(variants, ["010-1234-5678", "", "", ""]) {
        let account = try await world.call(.POST, "users/join", key: Self.key, variant).json
        #expect(account.keys == Self.userWithToken)
        #expect(account["user_id"]?.int ?? 0 > 0)
        #expect(account["phone"] == .text(phone))
        #expect(account["vendor"] == .null && account["profileImage"] == .null)
        #expect(account["createdAt"]?.string?.count == 24)
        #expect(account["token"]?.keys == ["accessToken", "refreshToken"])
      }
      for body in bodies.map({ _ in World.Body.json(["email": "A@example.com"]) }) {
        #expect(try await world.call(.POST, "users/validation/email", key: Self.key, body).code == "E12")
      }
      #expect(
        try await world.call(.POST, "users/validation/email", key: Self.key, .json(["email": "a"])).code == "E11")
    }
  }

  @Test(
    "sign-in answers a flat object at /v1 and a nested one at /v2, whatever Authorization holds",
    arguments: TestEngine.available)
  func signIn(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let body = World.Body.json(["email": .text(mina.email), "password": .text(World.password)])
      let form = World.Body.form("email=mina%40example.com&password=Passw0rd%21&deviceToken=x")
      for (body, token) in [(body, nil), (form, "stale")] as [(World.Body, String?)] {
        let login = try await world.call(.POST, "/v1/users/login", token: token, key: Self.key, body).json
        #expect(login.keys == ["user_id", "nickname", "accessToken", "refreshToken"])
        #expect(login["user_id"] == mina.userID && login["nickname"] == "Mina")
        let access = try #require(login["accessToken"]?.string)
        let profile = try await world.call(.GET, "users/my", token: access, key: Self.key).json
        #expect(profile.keys == Self.myProfile)
        #expect(profile["sesacCoin"] == 100)
        #expect(try await world.call(.GET, "workspaces", token: access, key: Self.key).json == [])
      }
      let nested = World.Body.raw(
        #"{"email":"mina@example.com","password":"Passw0rd!"}"#, type: "application/json; charset=UTF-8")
      let login = try await world.call(.POST, "/v2/users/login", key: Self.key, nested).json
      #expect(login.keys == Self.userWithToken)
      for path in ["/v1/users/login", "/v2/users/login"] {
        let wrong = World.Body.json(["email": .text(mina.email), "password": "wrong"])
        #expect(try await world.call(.POST, path, key: Self.key, wrong).code == "E03")
      }
      for (index, token) in [
        try await world.socialToken("kakao", "k1", "joon@example.com", nickname: "Joon"),
        try await world.socialToken("kakao", "k1", "joon@example.com", nickname: "Joon"),
      ].enumerated() {
        let body: World.Body =
          index == 0
          ? .json(["oauthToken": .text(token), "deviceToken": ""]) : .form("oauthToken=\(token)&deviceToken=x")
        let account = try await world.call(.POST, "users/login/kakao", key: Self.key, body).json
        #expect(account.keys == Self.userWithToken)
        #expect(account["vendor"] == "kakao" && account["email"] == "joon@example.com")
      }
      let apple = World.Body.json(["idToken": .text(try await world.socialToken("apple", "a1", "sora@example.com"))])
      #expect(try await world.call(.POST, "users/login/apple", key: Self.key, apple).json["nickname"] == "sora")
      let stale = World.Body.json(["oauthToken": "stale"])
      #expect(try await world.call(.POST, "users/login/kakao", key: Self.key, stale).code == "E03")
      // The second version of the path exists in this edition only.
      #expect(try await world.call(.POST, "/v2/users/login", nested).code == "E97")
    }
  }

  @Test(
    "a payment answers the coins bought; a repeated, unknown or invalid one is E81 or E82",
    arguments: TestEngine.available)
  func payment(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let items: JSON = [
        ["item": "10 Coin", "amount": "100"], ["item": "50 Coin", "amount": "500"],
        ["item": "100 Coin", "amount": "1000"],
      ]
      #expect(try await mina.get("store/item/list") == items)
      for (index, (amount, coins)) in [(100, 10), (1000, 100)].enumerated() {
        let merchant = "ios_\(Self.key)_\(1_705_288_272 + index)"
        let paid = try await world.payment(merchant, amount)
        let json = World.Body.json(["imp_uid": .text(paid), "merchant_uid": .text(merchant)])
        let form = World.Body.form("imp_uid=\(paid)&merchant_uid=\(merchant)")
        let before = try #require(try await mina.get("users/my")["sesacCoin"]?.int)
        let billing = try await mina.success(.POST, "store/pay/validation", index == 0 ? json : form)
        #expect(billing.keys == ["billing_id", "merchant_uid", "amount", "sesacCoin", "success", "createdAt"])
        #expect(billing["merchant_uid"] == .text(merchant) && billing["success"] == true)
        #expect(billing["amount"]?.int == amount && billing["sesacCoin"]?.int == coins)
        #expect(billing["createdAt"] == .text(WireDate.string(world.clock.now + 9 * 3_600_000, offset: 0)))
        #expect(try await mina.get("users/my")["sesacCoin"]?.int == before + coins)
        #expect(try await mina.code(.POST, "store/pay/validation", json) == "E81")
      }
      let cancelled = try await world.payment("m", 100, status: "cancelled")
      for (impUID, merchant, code) in [("", "", "E11"), (cancelled, "m", "E82"), ("unknown", "m", "E81")] {
        let body = World.Body.json(["imp_uid": .text(impUID), "merchant_uid": .text(merchant)])
        #expect(try await mina.code(.POST, "store/pay/validation", body) == code)
      }
      #expect(try await mina.get("store/item/list") == items)
    }
  }

  @Test("a profile is edited, and signing out takes an expired access token", arguments: TestEngine.available)
  func profile(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let edited = try await mina.success(.PUT, "users/my", .json(["nickname": "미나", "phone": ""]))
      #expect(edited.keys == Self.myProfile)
      #expect(edited["nickname"] == "미나" && edited["phone"] == "")
      #expect(try await mina.call(.PUT, "users/my", .json(["nickname": ""])).code == "E11")
      let picture = World.Body.multipart([.file("image", Sample.jpeg, type: "image/jpg")])
      let path = try #require(try await mina.success(.PUT, "users/my/image", picture)["profileImage"]?.string)
      #expect(try await mina.call(.GET, "/v1\(path)").body == Sample.jpeg)
      #expect(try await mina.get("users/my")["profileImage"] == .text(path))

      let signedOut = try await mina.call(.GET, "users/logout")
      #expect(signedOut.status == 200 && signedOut.body.isEmpty)
      #expect(try await mina.call(.GET, "users/my").code == "E02")
      #expect(try await Self.refresh(mina, nil).code == "E02")
      let again = try await world.signIn(mina, through: .january2024)
      world.clock.advance(milliseconds: 24 * 3_600_000 + 1)
      let expired = try await again.call(.GET, "users/logout")
      #expect(expired.status == 200 && expired.body.isEmpty)
    }
  }

  @Test(
    "a refresh with a valid token is E04, the eleventh E98; an expired refresh token is E06, never E05",
    arguments: TestEngine.available)
  func expiry(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      for attempt in 1...11 {
        #expect(try await Self.refresh(mina, mina.token).code == (attempt <= 10 ? "E04" : "E98"))
      }
      world.clock.advance(milliseconds: 24 * 3_600_000 + 1)
      #expect(try await mina.call(.GET, "users/my").code == "E05")
      for access in [nil, "", mina.token, "garbage"] as [String?] {
        let token = try #require(try await Self.refresh(mina, access).json["accessToken"]?.string)
        #expect(try await world.call(.GET, "users/my", token: token, key: Self.key).status == 200)
      }
      // A valid token of another session of the same account proves nothing.
      let other = try await world.signIn(mina, through: .january2024)
      #expect(try await Self.refresh(mina, other.token).status == 200)
      world.clock.advance(milliseconds: 30 * 24 * 3_600_000)
      #expect(try await Self.refresh(mina, mina.token).code == "E06")
      let unknown = try await world.call(
        .GET, "auth/refresh", token: mina.token, key: Self.key, headers: [("RefreshToken", "unknown")])
      #expect(unknown.code == "E02")
    }
  }
}
