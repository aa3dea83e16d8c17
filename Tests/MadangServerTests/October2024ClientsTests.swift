import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Support
import Testing

/// Odd requests of real clients (wire contract, Request headers; Refresh tokens; Paths).
@Suite("Edition 2024-10: headers, tokens and paths", .timeLimit(.minutes(5)))
struct October2024ClientsTests {
  static let day: Int64 = 24 * 3_600_000

  static func refresh(_ person: TestPerson, _ access: String?) async throws -> World.Answer {
    try await person.world.call(.GET, "auth/refresh", token: access, headers: [("RefreshToken", person.refreshToken)])
  }

  @Test("public routes ignore Authorization, whatever it holds")
  func publicRoutes() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let b = try await world.signUp("Joon")
      _ = try await b.get("users/logout")
      world.clock.advance(milliseconds: Self.day + 1)
      let tokens = ["", " ", "garbage", "토큰", a.token, b.token]
      for (index, token) in tokens.enumerated() {
        let email = JSON.text("new\(index)@example.com")
        let calls: [(String, JSON)] = [
          ("users/validation/email", ["email": email]),
          ("users/join", ["email": email, "password": "Passw0rd!", "nickname": "N"]),
          ("users/login", ["email": email, "password": "Passw0rd!"]),
        ]
        for (path, body) in calls {
          #expect(try await world.call(.POST, path, token: token, .json(body)).status == 200, "\(path) \(token)")
        }
      }
    }
  }

  @Test("RefreshToken is ignored on every call but refresh")
  func refreshHeader() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      for value in ["stale", a.refreshToken, ""] {
        #expect(try await a.call(.GET, "users/me", headers: [("RefreshToken", value)]).status == 200)
        #expect(try await world.call(.GET, "users/me", headers: [("RefreshToken", value)]).code == "E02")
      }
    }
  }

  @Test("the own profile without a token is E02 with status 400")
  func signedOut() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let answer = try await world.call(.GET, "users/me", token: "")
      #expect(answer.status == 400)
      #expect(String(decoding: answer.body, as: UTF8.self) == #"{"errorCode":"E02"}"#)
    }
  }

  @Test("a content type on GET and DELETE is ignored", arguments: TestEngine.available)
  func contentTypes(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      for type in ["application/json", "multipart/form-data", "multipart/form-data; boundary=x", "nonsense"] {
        let headers = [("Content-Type", type)]
        for path in ["users/me", "workspaces", "\(w)/channels", "\(w)/search?keyword=x"] {
          #expect(try await a.call(.GET, path, headers: headers).status == 200, "\(path)")
        }
        let channel = try await a.channel("x", in: w)
        #expect(try await a.call(.DELETE, channel, headers: headers).status == 200)
      }
    }
  }

  @Test("Accept is ignored for pictures and JSON")
  func accept() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      _ = try await a.workspace()
      for accept in ["image/png", "application/json", "text/html"] {
        let picture = try await a.call(
          .GET, "static/workspaceCoverImages/default.png", headers: [("Accept", accept)])
        #expect(picture.status == 200 && picture.headers["content-type"] == ["image/png"])
        #expect(try await a.call(.GET, "workspaces", headers: [("Accept", accept)]).json.list?.count == 1)
      }
    }
  }

  @Test("a refresh while the access token is valid succeeds and is never E04")
  func validRefresh() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      for token in [a.token, nil, "garbage", " \(a.token)"] {
        #expect(try await Self.refresh(a, token).status == 200)
      }
      #expect(try await a.code(.GET, "users/me") == nil)
    }
  }

  @Test("a failing call gives the same code each time and changes nothing; refreshes in between succeed")
  func repeatedFailure() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let calls: [(HTTPMethod, String, World.Body, String)] = [
        (.POST, "workspaces", .multipart([.text("name", "Weekend Builders"), .file("image", Sample.png)]), "E12"),
        (.POST, "\(w)/channels", .json(["name": "일반"]), "E12"), (.GET, "\(w)/exit", .none, "E15"),
        (.POST, "\(w)/members", .json(["email": "nobody@example.com"]), "E13"),
      ]
      for (method, path, body, code) in calls {
        for _ in 0..<4 { #expect(try await a.code(method, path, body) == code) }
        for _ in 0..<3 { #expect(try await Self.refresh(a, a.token).status == 200) }
        world.clock.advance(milliseconds: 10_001)
      }
      #expect(try await a.get("users/me")["sesacCoin"] == 90)
      #expect(try await a.get("\(w)/channels").list?.count == 1)
      #expect(try await world.files(in: "workspaceCoverImages").count == 1)
    }
  }

  @Test("the reply to a refresh has exactly one key, a string of safe characters")
  func oneKey() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let reply = try await Self.refresh(try await world.signUp("Mina"), nil).json
      #expect(reply.keys == ["accessToken"])
      #expect(reply["accessToken"]?.string?.allSatisfy { $0.isASCII && !$0.isWhitespace } == true)
    }
  }

  @Test("signing out takes an expired token, deleting answers E05", arguments: TestEngine.available)
  func expired(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      world.clock.advance(milliseconds: Self.day + 1)
      #expect(try await a.code(.DELETE, w) == "E05")
      #expect(try await a.call(.GET, "users/logout").status == 200)
      #expect(try await a.code(.GET, "users/logout") == "E02")
    }
  }

  @Test("E06 is answered to refresh, and to an expired refresh token used as access token")
  func refreshExpired() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      world.clock.advance(milliseconds: 30 * Self.day + 1)
      #expect(try await Self.refresh(a, a.token).code == "E06")
      #expect(try await a.code(.GET, "users/me") == "E05")
      #expect(
        try await world.call(.GET, "static/profiles/x.png", token: a.refreshToken).code == "E06")
    }
  }

  @Test("a refresh token in the query is ignored")
  func refreshQuery() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      #expect(try await world.call(.GET, "auth/refresh?RefreshToken=\(a.refreshToken)").code == "E02")
      #expect(try await a.call(.GET, "users/me?RefreshToken=stale&RefreshToken=x").status == 200)
    }
  }

  @Test("an empty or malformed workspace id is E13", arguments: TestEngine.available)
  func emptyID(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      for id in ["", "-1", "0", "1", "x", "00000000-0000-4000-8000-000000000000"] {
        for path in ["channels", "my-channels", "dms", "members"] {
          #expect(try await a.code(.GET, "/v1/workspaces/\(id)/\(path)") == "E13", "\(id)/\(path)")
        }
      }
    }
  }

  @Test("unknown paths are E97")
  func noPath() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      for path in ["/v1", "/v1/", "/v1/users/", "/v1/v1/users/me", "/", "/v2/users/login"] {
        #expect(try await a.code(.GET, path) == "E97", "\(path)")
      }
      #expect(try await a.code(.POST, "/v2/users/login", .json([:])) == "E97")
    }
  }

  @Test("odd and unknown query keys change nothing, on any method")
  func queries() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let id = w.split(separator: "/").last ?? ""
      for query in ["?", "?=", "?x", "?userID=\(a.id)&name=x&name=y", "?workspaceID=\(id)", "?&&", "?%"] {
        #expect(try await a.get("workspaces\(query)").list?.count == 1, "\(query)")
        #expect(try await a.put("\(w)\(query)", ["name": ""])["name"] == "Weekend Builders")
        let channel = try await a.call(.POST, "\(w)/channels\(query)", .json(["name": "x"])).json
        let path = "\(w)/channels/\(channel["channel_id"]?.string ?? "")"
        #expect(try await a.success(.DELETE, "\(path)\(query)") == [:])
      }
      // The answer is always the whole list.
      _ = try await a.workspace("Other")
      #expect(try await a.get("workspaces?workspaceID=\(id)").list?.count == 2)
    }
  }

  @Test("only files may be cached, because some GETs change state")
  func caching() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let channel = try await a.channel("ios", in: w)
      for path in ["users/me", w, "\(channel)/chats", "\(channel)/exit", "users/logout", "users/me"] {
        #expect(try await a.call(.GET, path).headers["cache-control"] == ["no-store"], "\(path)")
      }
    }
  }

  @Test("a home screen of 150 calls at once is answered in full", arguments: TestEngine.available)
  func homeScreen(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let channel = try await a.channel("ios", in: w)
      let paths = [
        "users/me", "users/\(a.id)", w, "\(channel)/unreads", "static/channelCoverImages/default.png", "\(w)/dms",
      ]
      let outcomes = try await October2024PaymentFlowsTests.outcomes(150) {
        try await a.call(.GET, paths[$0 % paths.count])
      }
      #expect(outcomes == ["200": 150])
    }
  }
}
