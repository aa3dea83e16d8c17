import MadangAPI
import MadangCore
import NIOHTTP1
import Support
import Testing

@Suite("Users and sessions", .timeLimit(.minutes(5)))
struct UsersTests {
  @Test("sign-up answers exactly a Login, and the account has the welcome coins", arguments: TestEngine.available)
  func signUp(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let answer = try await world.call(
        .POST, "users/join", headers: [("Authorization", "")],
        .json([
          "email": "Mina@Example.com", "password": "Passw0rd!", "nickname": " Mina ", "phone": "010-1234-5678",
          "device_token": "fcm",
        ]))
      #expect(answer.status == 200)
      #expect(answer.headers["content-type"] == ["application/json; charset=utf-8"])
      #expect(answer.headers["cache-control"] == ["no-store"])
      let login = try answer.json
      #expect(
        login.keys == [
          "user_id", "email", "nickname", "profileImage", "phone", "provider", "createdAt", "token",
        ])
      #expect(login["email"] == "Mina@Example.com")
      #expect(login["nickname"] == "Mina")
      #expect(login["profileImage"] == .null)
      #expect(login["provider"] == .null)
      #expect(login["createdAt"]?.string?.count == 24)
      #expect(login["token"]?.keys == ["accessToken", "refreshToken"])
      let token = try #require(login["token"]?["accessToken"]?.string)
      let me = try await world.call(.GET, "users/me", token: token).json
      #expect(me["sesacCoin"] == 100)
      #expect(
        me.keys == [
          "user_id", "email", "nickname", "profileImage", "phone", "provider", "sesacCoin", "createdAt",
        ])
      // Unique ignoring case.
      let again = try await world.call(
        .POST, "users/join", .json(["email": "mina@example.COM", "password": "Passw0rd!", "nickname": "M"]))
      #expect(again.code == "E12")
    }
  }

  @Test("the e-mail check creates nothing; malformed is E11, taken E12", arguments: TestEngine.available)
  func emailCheck(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let check = { (email: String) in try await world.call(.POST, "users/validation/email", .form("email=\(email)")) }
      let free = try await check("mina%40example.com")
      #expect(String(decoding: free.body, as: UTF8.self) == "{}")
      _ = try await world.signUp("Mina")
      #expect(try await check("MINA%40example.com").code == "E12")
      for bad in [
        "mina", "mina%40", "%40example.com", "a%40b%40c.co", "a+b%40c.co", "a%40b", "a%40b.c", "a%40b..co", "",
      ] {
        #expect(try await check(bad).code == "E11", "\(bad)")
      }
    }
  }

  @Test(
    "fields that break a rule are E11",
    arguments: [
      ["password": "passw0rd!"], ["password": "Password!"], ["password": "PASSW0RD!"], ["password": "Passw0rd1"],
      ["password": "Pa0!"], ["nickname": ""], ["nickname": "   "], ["nickname": "0123456789012345678901234567890"],
      ["phone": "phone"], ["phone": "012345678901234567890"], ["nickname": 7], ["email": ["a@b.co"]],
      ["nickname": "a\u{0}b"], ["password": nil],
    ] as [JSON])
  func signUpRules(_ change: JSON) async throws {
    try await World.run(.sqlite) { (world) async throws in
      guard case .object(var fields) = ["email": "a@b.co", "password": "Passw0rd!", "nickname": "A"] as JSON,
        case .object(let changes) = change
      else { return }
      fields.merge(changes) { $1 }
      #expect(try await world.call(.POST, "users/join", .json(.object(fields))).code == "E11")
    }
  }

  @Test("a body is read in any encoding, however labelled; anything else is E11")
  func encodings() async throws {
    try await World.run(.sqlite) { (world) async throws in
      _ = try await world.signUp("Mina")
      let good: [World.Body] = [
        .raw(#"{"email":"mina@example.com","password":"Passw0rd!","deviceToken":null}"#, type: nil),
        .raw(#"  {"email":"mina@example.com","password":"Passw0rd!"}"#, type: "application/x-www-form-urlencoded"),
        .raw("email=mina%40example.com&password=Passw0rd%21&extra", type: "application/json"),
        .multipart([.text("password", "Passw0rd!"), .text("email", "mina@example.com", extra: "; filename=\"\"")]),
        .raw(
          "--x\r\nContent-Disposition: form-data; name=email\r\n\r\nmina@example.com\r\n--x\r\n"
            + "Content-Disposition: form-data; name=\"password\"\r\nContent-Type: image/jpeg\r\n\r\nPassw0rd!\r\n--x--",
          type: nil),
      ]
      for body in good {
        let answer = try await world.call(.POST, "users/login", body)
        #expect(answer.status == 200, "\(body) \(answer)")
      }
      let bad: [World.Body] = [
        .none, .raw("\"text\"", type: "application/json"), .raw("[]", type: nil), .raw("{", type: nil),
        .raw(#"{"email":"mina@example.com","password":7}"#, type: nil), .raw("--", type: nil), .raw("%", type: nil),
        .raw("hello", type: "multipart/form-data; boundary=x"), .bytes([0xFF, 0xFE, 0x7B], type: nil),
        .raw(String(repeating: "[", count: 100_000), type: nil), .raw("--x\r\n", type: nil),
        .raw(#"{"email":"\ud800","password":"x"}"#, type: nil),
        .raw("{\"email\":\"" + String(repeating: "a", count: 1_100_000) + "\"}", type: nil),
      ]
      for body in bad { #expect(try await world.call(.POST, "users/login", body).code == "E11") }
    }
  }

  @Test("a wrong password and an unknown e-mail get the same answer", arguments: TestEngine.available)
  func signIn(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let signIn = { (email: String, password: String) in
        try await world.call(
          .POST, "users/login", token: "garbage", .json(["email": .text(email), "password": .text(password)]))
      }
      let login = try await signIn("MINA@example.com", World.password).json
      #expect(login["user_id"] == .text(mina.id))
      #expect(login["token"]?["refreshToken"] != .text(mina.refreshToken))
      #expect(try await signIn(mina.email, "wrong").code == "E03")
      #expect(try await signIn("nobody@example.com", World.password).code == "E03")
    }
  }

  @Test("the eleventh failed sign-in of an e-mail is E98, whatever the password")
  func signInLimit() async throws {
    try await World.run(.sqlite) { world in
      let mina = try await world.signUp("Mina")
      let signIn = { (password: String) in
        try await world.call(
          .POST, "users/login", .json(["email": .text(mina.email), "password": .text(password)]))
      }
      for _ in 0..<10 { #expect(try await signIn("wrong").code == "E03") }
      let refused = try await signIn(World.password)
      #expect(refused.code == "E98")
      #expect(Int(refused.headers["retry-after"].first ?? "") ?? 0 >= 1)
      world.clock.advance(milliseconds: 300_001)
      #expect(try await signIn(World.password).status == 200)
    }
  }

  @Test("a partial edit changes the given fields, and an empty phone clears it", arguments: TestEngine.available)
  func edit(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let edit = { (body: JSON) in try await mina.call(.PUT, "users/me", .json(body)) }
      #expect(try await edit(["phone": "01012345678"]).json["phone"] == "01012345678")
      let renamed = try await edit(["nickname": "M\u{0065}\u{0301}"]).json
      #expect(renamed["nickname"] == "M\u{E9}")
      #expect(renamed["phone"] == "01012345678")
      #expect(try await edit(["phone": "", "nickname": nil]).json["phone"] == "")
      #expect(try await edit(["nickname": ""]).code == "E11")
    }
  }

  @Test(
    "a picture is detected by content and gets a new path each time; other files are refused",
    arguments: TestEngine.available)
  func picture(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let upload = { (bytes: [UInt8]) in
        try await mina.call(.PUT, "users/me/image", .multipart([.file("image", bytes)]))
      }
      var paths: Set<String> = []
      for (bytes, ending) in [
        (Sample.png, "png"), (Sample.jpeg, "jpeg"), (Sample.gif, "gif"), (Sample.webp, "webp"), (Sample.heic, "heic"),
      ] {
        let path = try #require(try await upload(bytes).json["profileImage"]?.string)
        let parts = path.split(separator: "/")
        #expect(parts.count == 3 && parts[0] == "static" && parts[1] == "profiles" && path.hasSuffix("." + ending))
        #expect(try await mina.call(.GET, "/v1\(path)").body == bytes)
        paths.insert(path)
      }
      #expect(paths.count == 5)
      for bytes in [Sample.pdf, Sample.zip, Sample.text, []] { #expect(try await upload(bytes).code == "E11") }
      #expect(try await mina.call(.PUT, "users/me/image", .json(["image": "x"])).code == "E11")
    }
  }

  @Test("a profile is visible only to people who share a workspace with it", arguments: TestEngine.available)
  func visibility(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      #expect(try await mina.get("users/\(mina.id)") == mina.member)
      #expect(try await mina.call(.GET, "users/\(joon.id)").code == "E03")
      #expect(try await mina.call(.GET, "users/1").code == "E03")
      #expect(try await mina.call(.GET, "users/%00").code == "E03")
      try await mina.invite(joon, to: try await mina.workspace())
      #expect(try await mina.get("users/\(joon.id)?userID=\(joon.id)") == joon.member)
    }
  }
}
