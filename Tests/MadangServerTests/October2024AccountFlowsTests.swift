import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Support
import Testing

/// Accounts and sessions as clients of edition 2024-10 use them (wire contract, Call sequences).
@Suite("Edition 2024-10: accounts and sessions", .timeLimit(.minutes(5)))
struct October2024AccountFlowsTests {
  static let day: Int64 = 24 * 3_600_000

  static func refresh(_ world: World, _ refresh: String, _ access: String?, query: String = "") async throws
    -> World.Answer
  {
    try await world.call(.GET, "auth/refresh\(query)", token: access, headers: [("RefreshToken", refresh)])
  }

  @Test(
    "at launch a 2024-10 client refreshes while its access token is valid; without tokens it gets E02",
    arguments: TestEngine.available)
  func launch(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let signedOut = try await world.call(.GET, "users/me", token: "")
      #expect(signedOut.status == 400 && signedOut.code == "E02")
      for query in ["", "?RefreshToken=\(a.refreshToken)"] {
        let refreshed = try await Self.refresh(world, a.refreshToken, a.token, query: query)
        #expect(refreshed.status == 200)
        #expect(try refreshed.json.keys == ["accessToken"])
      }
      #expect(try await Self.refresh(world, "", "").code == "E02")
    }
  }

  @Test("sign-up takes every form that 2024-10 clients send, once for each e-mail", arguments: TestEngine.available)
  func signUp(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let check = { (email: String) in
        try await world.call(.POST, "users/validation/email", .json(["email": .text(email)]))
      }
      #expect(String(decoding: try await check("a@example.com").body, as: UTF8.self) == "{}")
      #expect(try await check("a@").code == "E11")
      let variants: [(JSON, [(String, String)])] = [
        (["phone": "010-1234-5678", "deviceToken": ""], []), (["phone": ""], [("Authorization", "")]),
        (["device_token": "fcm"], []), (["phone": nil, "deviceToken": nil], [("Authorization", "stale")]),
      ]
      for (index, variant) in variants.enumerated() {
        let email = "a\(index)@example.com"
        guard case .object(var fields) = variant.0 else { continue }
        fields.merge(["email": .text(email), "password": "Passw0rd!", "nickname": "A"]) { $1 }
        let answer = try await world.call(.POST, "users/join", headers: variant.1, .json(.object(fields)))
        #expect(answer.status == 200)
        #expect(try answer.json["phone"]?.string != nil)
        #expect(try await world.call(.POST, "users/join", .json(.object(fields))).code == "E12")
        #expect(try await check(email).code == "E12")
        let token = try answer.json["token"]?["accessToken"]?.string
        #expect(try await world.call(.GET, "workspaces", token: token).json == [])
        let me = try await world.call(.GET, "users/me", token: token).json
        #expect(me["sesacCoin"] == 100 && me["phone"]?.string != nil)
      }
      let weak: JSON = ["email": "b@example.com", "password": "password", "nickname": "B"]
      #expect(try await world.call(.POST, "users/join", .json(weak)).code == "E11")
      #expect(try await check("b@example.com").status == 200)
    }
  }

  @Test(
    "sign-in ignores stale headers, takes any device token, and answers E03 for a wrong password or e-mail",
    arguments: TestEngine.available)
  func signIn(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let signIn = { (extra: [String: JSON], headers: [(String, String)]) in
        let fields: [String: JSON] = ["email": .text(a.email), "password": .text(World.password)]
        return try await world.call(
          .POST, "users/login", headers: headers, .json(.object(fields.merging(extra) { $1 })))
      }
      #expect(try await signIn([:], []).status == 200)
      #expect(try await signIn(["deviceToken": ""], []).status == 200)
      let stale = [("Authorization", "stale"), ("RefreshToken", "stale")]
      let login = try await signIn(["deviceToken": "fcm"], stale)
      #expect(login.status == 200)
      #expect(try await signIn(["password": "wrong"], []).code == "E03")
      #expect(try await signIn(["email": "nobody@example.com"], []).code == "E03")
      let token = try login.json["token"]?["accessToken"]?.string
      async let me = world.call(.GET, "users/me", token: token)
      async let workspaces = world.call(.GET, "workspaces", token: token)
      #expect(try await me.json["user_id"] == .text(a.id))
      #expect(try await workspaces.json == [])
    }
  }

  @Test(
    "the first sign-in with Apple or Kakao creates the account, later ones find it", arguments: TestEngine.available)
  func socialSignIn(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let apple = try await world.socialToken("apple", "001", "mina@example.com")
      let first: JSON = ["idToken": .text(apple), "nickname": "Mina"]
      let login = try await world.call(.POST, "users/login/apple", .json(first)).json
      #expect(login["provider"] == "apple" && login["nickname"] == "Mina" && login["phone"] == "")
      let again = try await world.call(.POST, "users/login/apple", .json(["idToken": .text(apple)])).json
      #expect(again["user_id"] == login["user_id"] && again["nickname"] == "Mina")

      let kakao = try await world.socialToken("kakao", "42", "joon@example.com", nickname: "Joon")
      let signIn: JSON = ["oauthToken": .text(kakao), "deviceToken": "fcm"]
      let answer = try await world.call(.POST, "users/login/kakao", .json(signIn)).json
      #expect(answer["provider"] == "kakao" && answer["nickname"] == "Joon")
      let token = answer["token"]?["accessToken"]?.string
      let me = try await world.call(.GET, "users/me", token: token).json
      #expect(me["sesacCoin"] == 100 && me["provider"] == "kakao")
    }
  }

  @Test("a profile changes field by field, and a replaced picture stays for a day", arguments: TestEngine.available)
  func profile(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      #expect(try await a.get("users/me")["profileImage"] == .null)
      let upload = World.Body.multipart([.file("image", Sample.png)])
      let first = try #require(try await a.success(.PUT, "users/me/image", upload)["profileImage"]?.string)
      #expect(try await a.call(.GET, "/v1\(first)").body == Sample.png)
      let second = try #require(try await a.success(.PUT, "users/me/image", upload)["profileImage"]?.string)
      #expect(first != second)
      // Clients hold on to paths for a while; then the old picture vanishes from disk.
      #expect(try await a.call(.GET, "/v1\(first)").body == Sample.png)
      world.clock.advance(milliseconds: Self.day - 1)
      try await world.server.madang.removeRetiredFiles()
      #expect(try await world.files(in: "profiles").count == 2)
      world.clock.advance(milliseconds: 2)
      try await world.server.madang.removeRetiredFiles()
      #expect(try await world.files(in: "profiles").map { "/static/profiles/\($0)" } == [second])

      let b = try await world.signUp("Joon")
      #expect(try await b.put("users/me", ["nickname": "June"])["nickname"] == "June")
      #expect(try await b.put("users/me", ["phone": "01012345678"])["phone"] == "01012345678")
      let both = try await b.put("users/me", ["nickname": "Joon", "phone": ""])
      #expect(both["nickname"] == "Joon" && both["phone"] == "")
      #expect(try await b.code(.PUT, "users/me", .json(["nickname": ""])) == "E11")
      #expect(try await b.post("users/deviceToken", ["deviceToken": "fcm"]) == [:])
      #expect(try await b.post("users/deviceToken", ["device_token": ""]) == [:])
      for body in [[:], ["deviceToken": nil], ["deviceToken": 7]] as [JSON] {
        #expect(try await b.code(.POST, "users/deviceToken", .json(body)) == "E11")
      }
      #expect(try await b.get("users/logout") == [:])
      #expect(try await b.code(.GET, "users/me") == "E02")
      #expect(try await Self.refresh(world, b.refreshToken, nil).code == "E02")
    }
  }

  @Test("parallel refreshes at an expiry succeed, and a client that loops gets E98", arguments: TestEngine.available)
  func expiry(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      // A call that fails for good, each time with a refresh in between.
      _ = try await a.workspace("Taken")
      for _ in 0..<4 {
        #expect(try await a.code(.POST, "workspaces", .json(["name": "Taken"])) == "E12")
        #expect(try await Self.refresh(world, a.refreshToken, a.token).status == 200)
      }
      world.clock.advance(milliseconds: 10_001)
      for _ in 0..<10 { #expect(try await Self.refresh(world, a.refreshToken, a.token).status == 200) }
      let refused = try await Self.refresh(world, a.refreshToken, a.token)
      #expect(refused.code == "E98" && Int(refused.headers["retry-after"].first ?? "") ?? 0 >= 1)

      world.clock.advance(milliseconds: Self.day)
      let codes = try await withThrowingTaskGroup(of: (String?, Int).self) { group in
        for _ in 0..<30 {
          group.addTask {
            let refused = try await a.code(.GET, "users/me")
            return (refused, try await Self.refresh(world, a.refreshToken, a.token).status)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes.allSatisfy { $0.0 == "E05" && $0.1 == 200 })
      let fresh = try #require(try await Self.refresh(world, a.refreshToken, a.token).json["accessToken"]?.string)
      #expect(try await world.call(.GET, "users/me", token: fresh).status == 200)

      // Repeating the old token for ever ends with E98 on the request, while refreshing goes on.
      var newest = fresh
      var last: String?
      for _ in 0..<10 where last != "E98" {
        last = try await a.code(.GET, "users/me")
        let answer = try await Self.refresh(world, a.refreshToken, newest)
        #expect(answer.status == 200)
        newest = try #require(try answer.json["accessToken"]?.string)
      }
      #expect(last == "E98")
      world.clock.advance(milliseconds: 30 * Self.day)
      #expect(try await Self.refresh(world, a.refreshToken, nil).code == "E06")
    }
  }
}
