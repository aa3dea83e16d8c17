import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("Tokens, refresh and limits", .timeLimit(.minutes(5)))
struct SessionsTests {
  @Test("tokens are raw and trimmed; an unknown one is E02")
  func tokens() async throws {
    try await World.run(.sqlite) { world in
      let mina = try await world.signUp("Mina")
      for token in [mina.token, " \(mina.token)", "Bearer \(mina.token)"] {
        #expect(try await world.call(.GET, "users/me", token: token).status == 200)
      }
      for token in [nil, "", "  ", "토큰", "a.b.c", mina.token + "x", mina.refreshToken + "x"] as [String?] {
        #expect(try await world.call(.GET, "users/me", token: token).code == "E02", "\(token ?? "-")")
      }
      let characters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
      #expect((mina.token + mina.refreshToken).allSatisfy(characters.contains))
    }
  }

  @Test("the key is checked before everything, also for unknown paths and with a body on its way")
  func key() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let keys: [String?] = [nil, "", "nonsense", "DEV-KEY-2024-10"]
      let large = World.Body.multipart([.file("image", Array(repeating: 1, count: 3_000_000))])
      for key in keys {
        let answers = [
          try await world.call(.GET, "users/me", key: key), try await world.call(.GET, "nothing/here", key: key),
          try await world.call(.POST, "workspaces", key: key, large),
        ]
        #expect(answers.map(\.code) == ["E01", "E01", "E01"])
      }
      for path in ["/", "/v1", "/v1/", "/v1/users/", "/v1/v1/users/me", "/v2/users/login", "users/me/more"] {
        #expect(try await world.call(.GET, path).code == "E97", "\(path)")
      }
      #expect(try await world.call(.DELETE, "users/login").code == "E97")
      #expect(try await world.call(.POST, "users/me").code == "E97")
    }
  }

  @Test("runs of slashes count as one, and one at the end is ignored")
  func slashes() async throws {
    try await World.run(.sqlite) { world in
      let mina = try await world.signUp("Mina")
      for path in ["//v1/users/me", "/v1//users///me/", "/v1/users/me?", "/v1/users/me?=", "/v1/users/me?x"] {
        #expect(try await mina.call(.GET, path).status == 200, "\(path)")
      }
      #expect(try await mina.call(.GET, "/v1/workspaces//channels").code == "E13")
      #expect(try await mina.call(.GET, "/v1/workspaces//my-channels").code == "E13")
      #expect(try await mina.get("/v1/workspaces/") == [])
    }
  }

  @Test("an expired token is E05, and refreshing gives a token for the same session", arguments: TestEngine.available)
  func expiry(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      world.clock.advance(milliseconds: 24 * 3_600_000 + 1)
      #expect(try await mina.call(.GET, "users/me").code == "E05")
      let answer = try await world.call(
        .GET, "auth/refresh?RefreshToken=x", token: mina.token, headers: [("RefreshToken", mina.refreshToken)])
      let refreshed = try answer.json
      #expect(refreshed.keys == ["accessToken"])
      let token = try #require(refreshed["accessToken"]?.string)
      #expect(try await world.call(.GET, "users/me", token: token).status == 200)
      // Signing out takes the expired token as well, and ends both.
      #expect(try await mina.call(.GET, "users/logout").status == 200)
      #expect(try await world.call(.GET, "users/me", token: token).code == "E02")
      #expect(try await mina.call(.GET, "users/me").code == "E02")
      #expect(
        try await world.call(.GET, "auth/refresh", headers: [("RefreshToken", mina.refreshToken)]).code == "E02")
    }
  }

  @Test(
    "a call of an ended session is refused before its target is checked, and changes nothing",
    arguments: TestEngine.available)
  func endedSession(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      let channel = try await mina.channel("ios", in: workspace)
      let token = mina.token
      #expect(try await mina.call(.GET, "users/logout").status == 200)
      let image = World.Body.multipart([.file("files", Sample.png), .file("image", Sample.png)])
      let calls: [(HTTPMethod, String, World.Body)] = [
        (.GET, "users/me", .none), (.GET, "store/item/list", .none), (.GET, "users/nobody", .none),
        (.GET, "workspaces", .none), (.GET, "workspaces/nowhere/channels", .none),
        (.GET, "\(channel)/chats", .none), (.GET, "\(channel)/chats?cursor_date=yesterday", .none),
        (.GET, "\(channel)/unreads?after=yesterday", .none), (.GET, "static/profiles/none.png", .none),
        (.GET, "static/nowhere/none.png", .none),
        (.POST, "\(channel)/chats", .json(["content": "late"])), (.POST, "\(channel)/chats", .json([:])),
        (.POST, "\(channel)/chats", image), (.POST, "workspaces", image), (.PUT, "users/me/image", image),
        (.PUT, "users/me", .json(["nickname": ""])), (.DELETE, channel, .none), (.DELETE, workspace, .none),
      ]
      for isStopped in [false, true] {
        if isStopped { _ = try await world.server.madang.beginReadOnlyMode(reason: "a new disk", by: .hana) }
        for (method, path, body) in calls {
          #expect(try await world.call(method, path, token: token, body).code == "E02", "\(method) \(path)")
        }
      }
      _ = try await world.server.madang.endReadOnlyMode(by: .hana)
      #expect(try await world.files(in: "channelChats").isEmpty)
      #expect(try await world.server.madang.statistics().chats == 0)
    }
  }

  @Test("an upload during which its session ends is refused and leaves nothing", arguments: TestEngine.available)
  func endedAmidUpload(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      let channel = try await mina.channel("ios", in: workspace)
      let port = try #require(world.url.split(separator: ":").last.flatMap { Int($0) })
      let endings: [(String, @Sendable (TestPerson) async throws -> Void)] = [
        ("joon", { _ = try await $0.get("users/logout") }),
        ("sora", { _ = try await madang.disable(email: $0.email, by: .hana) }),
        ("hana", { _ = try await madang.deleteAccount(email: $0.email, by: .hana) }),
      ]
      for (name, end) in endings {
        let person = try await world.signUp(name)
        _ = try await mina.success(.POST, "\(workspace)/members", .json(["email": .text(person.email)]))
        _ = try await person.get("\(channel)/chats")
        let wire = try await Wire.connect(port)
        let part = { (name: String) in
          Array("--b\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"a.png\"\r\n\r\n".utf8) + Sample.png
            + Array("\r\n".utf8)
        }
        let (first, rest) = (part("files"), part("files") + Array("--b--\r\n".utf8))
        try await wire.sendRequest(
          "POST", "/v1/\(channel)/chats",
          headers: [
            ("SesacKey", EditionName.october2024.developmentKey), ("Authorization", person.token),
            ("Content-Type", "multipart/form-data; boundary=b"), ("Content-Length", "\(first.count + rest.count)"),
          ])
        try await wire.send(first)
        #expect(try await World.eventually { try await !world.files(in: "uploads").isEmpty })
        try await end(person)
        try await wire.send(rest)
        let answer = try await wire.readAnswer()
        #expect(answer.status == 400 && answer.text.contains("E02"), "\(name): \(answer.text)")
        #expect(try await world.files(in: "uploads").isEmpty)
      }
      #expect(try await world.files(in: "channelChats").isEmpty)
      #expect(try await madang.statistics().chats == 0)
    }
  }

  @Test("refresh answers each case of its table", arguments: TestEngine.available)
  func refresh(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let refresh = { (token: String?, access: String?) in
        try await world.call(
          .GET, "auth/refresh", token: access, headers: token.map { [("RefreshToken", $0)] } ?? [])
      }
      #expect(try await refresh(nil, mina.token).code == "E02")
      #expect(try await refresh("", "").code == "E02")
      #expect(try await refresh("unknown", nil).code == "E02")
      for access in [mina.token, nil, "", "garbage"] as [String?] {
        #expect(try await refresh(mina.refreshToken, access).status == 200)
      }
      world.clock.advance(milliseconds: 30 * 24 * 3_600_000 + 1)
      #expect(try await refresh(mina.refreshToken, nil).code == "E06")
    }
  }

  @Test("the eleventh refresh in ten seconds is E98, with the time to wait")
  func refreshLimit() async throws {
    try await World.run(.sqlite) { world in
      let mina = try await world.signUp("Mina")
      let refresh = {
        try await world.call(.GET, "auth/refresh", token: mina.token, headers: [("RefreshToken", mina.refreshToken)])
      }
      for _ in 0..<10 { #expect(try await refresh().status == 200) }
      let refused = try await refresh()
      #expect(refused.code == "E98")
      #expect((1...10).contains(Int(refused.headers["retry-after"].first ?? "") ?? 0))
      world.clock.advance(milliseconds: 10_001)
      #expect(try await refresh().status == 200)
    }
  }

  @Test("parallel refreshes with the expired token are not counted")
  func parallelRefresh() async throws {
    try await World.run(.sqlite) { world in
      let mina = try await world.signUp("Mina")
      world.clock.advance(milliseconds: 24 * 3_600_000 + 1)
      let codes = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<30 {
          group.addTask {
            try await world.call(
              .GET, "auth/refresh", token: mina.token, headers: [("RefreshToken", mina.refreshToken)]
            ).status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes == Array(repeating: 200, count: 30))
    }
  }

  @Test("a client that repeats its expired token and stores any answer as a token gets E98 on the request")
  func deadTokenLoop() async throws {
    try await World.run(.sqlite) { world in
      let mina = try await world.signUp("Mina")
      world.clock.advance(milliseconds: 24 * 3_600_000 + 1)
      var newest = mina.token
      var codes: [String?] = []
      for _ in 0..<10 {
        let code = try await mina.call(.GET, "users/me").code
        codes.append(code)
        if code == "E98" { break }
        let answer = try await world.call(
          .GET, "auth/refresh", token: newest, headers: [("RefreshToken", mina.refreshToken)])
        #expect(answer.status == 200)
        newest = try #require(try answer.json["accessToken"]?.string)
      }
      #expect(codes.last == "E98")
    }
  }

  @Test("an unknown token repeated more than ten times in ten seconds is E98")
  func unknownTokenLoop() async throws {
    try await World.run(.sqlite) { (world) async throws in
      for _ in 0..<10 { #expect(try await world.call(.GET, "users/me", token: "stale").code == "E02") }
      #expect(try await world.call(.GET, "users/me", token: "stale").code == "E98")
      #expect(try await world.call(.GET, "users/me", token: "other").code == "E02")
    }
  }

  @Test("more than 600 calls of a session in ten seconds are E98")
  func requestLimit() async throws {
    try await World.run(.sqlite) { world in
      let mina = try await world.signUp("Mina")
      for _ in 0..<600 { #expect(try await mina.call(.GET, "users/none").code != "E98") }
      #expect(try await mina.call(.GET, "users/me").code == "E98")
    }
  }

  @Test("a deeply nested token is refused")
  func nestedTokens() async throws {
    try await World.run(.sqlite) { (world) async throws in
      for depth in 511...514 {
        let bytes = Data([UInt8](repeating: UInt8(ascii: "["), count: depth))
        let part = bytes.base64EncodedString().replacing("=", with: "")
        for token in ["\(part).e30.AAAA", "e30.\(part).AAAA", "e30.e30.\(part)"] {
          #expect(try await world.call(.GET, "users/me", token: token).code == "E02")
        }
      }
    }
  }
}
