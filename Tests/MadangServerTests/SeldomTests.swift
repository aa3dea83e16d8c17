import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import SocketIOClient
import Storage
import Support
import Testing

/// What the editions promise and few clients ever meet, found by `madang dev coverage`.
@Suite("Rare cases", .timeLimit(.minutes(5)))
struct SeldomTests {
  @Test(
    "a session whose account is gone is E03 in every operation that asks for a token", arguments: TestEngine.available)
  func accountGone(_ engine: TestEngine) async throws {
    for edition in EditionName.allCases {
      try await World.run(engine, settings: Courtyard.settings) { (world) async throws in
        let courtyard = try await Courtyard(world, APIDescription.of(edition))
        let scene = try await courtyard.scene()
        _ = try await world.server.madang.database.write { transaction in
          try transaction.execute("UPDATE sessions SET user_id = -user_id")
        }
        for operation in courtyard.edition.operations where !operation.isPublic && operation.id != "file" {
          let answer = try await courtyard.call(operation, as: .owner, in: scene)
          #expect(answer.code == "E03", "\(operation.id)")
        }
        let credentials = try #require(courtyard.credentials[.owner])
        for path in scene.files.values {
          let answer = try await world.call(
            .GET, "/v1\(path)", token: credentials.accessToken, key: credentials.key)
          #expect(answer.code == "E03", "\(path)")
        }
      }
    }
  }

  @Test("social sign-in and its refusals are the same in 2024-01", arguments: TestEngine.available)
  func social(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      func signIn(_ provider: String, _ fields: JSON) async throws -> World.Answer {
        try await world.call(
          .POST, "users/login/\(provider)", key: EditionName.january2024.developmentKey, .json(fields))
      }
      #expect(try await signIn("apple", ["idToken": "junk", "nickname": "M"]).code == "E03")
      let taken = try await world.socialToken("apple", "1", mina.email)
      #expect(try await signIn("apple", ["idToken": .text(taken), "nickname": "M"]).code == "E12")
      let known = try await world.socialToken("kakao", "1", mina.email, nickname: "M")
      #expect(try await signIn("kakao", ["oauthToken": .text(known)]).code == "E12")
      let join: JSON = ["email": .text(mina.email), "password": .text(World.password), "nickname": "M"]
      #expect(
        try await world.call(.POST, "users/join", key: EditionName.january2024.developmentKey, .json(join)).code
          == "E12")
      _ = try await mina.workspace("First")
      let second = try await mina.workspace("Second")
      #expect(try await mina.code(.PUT, second, .json(["name": "First"])) == "E12")
    }
  }

  @Test("both spellings of the device token's field work", arguments: TestEngine.available)
  func devices(_ engine: TestEngine) async throws {
    for edition in EditionName.allCases {
      try await World.run(engine) { (world) async throws in
        let key = edition.developmentKey
        let names = ["deviceToken", "device_token"]
        func devices(_ path: String, _ fields: JSON, _ name: String) async throws {
          guard case .object(var body) = fields else { return }
          let token = "\(path) \(name)"
          body[name] = .text(token)
          let answer = try await world.call(.POST, path, key: key, .json(.object(body)))
          #expect(answer.status == 200, "\(token)")
          let kept = try await world.server.madang.database.read { transaction in
            try transaction.first("SELECT device_token FROM sessions ORDER BY id DESC LIMIT 1") { row in
              let token: String? = try row.get("device_token")
              return token
            }
          }
          #expect(kept == .some(token))
        }
        for name in names {
          let person: JSON = [
            "email": .text("\(name)@example.com"), "password": .text(World.password), "nickname": "M",
          ]
          try await devices("users/join", person, name)
          try await devices("users/login", person, name)
          if edition == .january2024 { try await devices("/v2/users/login", person, name) }
          let apple = try await world.socialToken("apple", name, "apple.\(name)@example.com")
          try await devices("users/login/apple", ["idToken": .text(apple), "nickname": "M"], name)
          let kakao = try await world.socialToken("kakao", name, "kakao.\(name)@example.com", nickname: "M")
          try await devices("users/login/kakao", ["oauthToken": .text(kakao)], name)
        }
        let mina = try await world.signUp("Mina", through: edition)
        for name in names {
          #expect(try await mina.call(.POST, "users/deviceToken", .json([name: "fcm"])).status == 200)
        }
      }
    }
  }

  @Test("2024-01 answers ranges of files, unread counts of direct messages, and E99")
  func january() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let joon = try await world.signUp("Joon", through: .january2024)
      let workspace = try await mina.workspace()
      try await mina.invite(joon, to: workspace)
      let room = try await mina.directMessage(with: joon, in: workspace)
      let chat = try await mina.success(.POST, "\(room)/chats", .multipart([.file("files", Sample.jpeg)]))
      let path = "/v1" + (try #require(chat["files"]?[0]?.string))
      let part = try await joon.call(.GET, path, headers: [("Range", "bytes=10-19")])
      #expect(part.status == 206 && part.body == Array(Sample.jpeg[10..<20]))
      #expect(try await joon.get("\(room)/unreads?cursor_date=1970-01-01T00:00:00.000Z")["count"] == 1)
      await world.server.madang.database.close()
      #expect(try await mina.call(.GET, "workspaces").code == "E99")
    }
  }

  @Test(
    "in 2024-01 leaving a workspace ends access to its direct messages", arguments: TestEngine.available)
  func sentAway(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard(through: .january2024)
      let room = try await yard.a.directMessage(with: yard.b, in: yard.w)
      try await SocketsTests.withSocket(world, headers: [(HeaderName.apiKey, EditionName.january2024.developmentKey)]) {
        var direct = try await SocketEndingsTests.join($0, room, as: yard.b)
        _ = try await yard.b.get("\(yard.w)/leave")
        #expect(try await SocketEndingsTests.next(&direct) == "41")
      }
    }
  }

  @Test("long sequences of calls end as the contract says", arguments: TestEngine.available)
  func flows(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      // Workspace settings.
      _ = try await yard.a.put(yard.w, ["name": "Renamed", "description": "Still here"])
      _ = try await yard.a.get("\(yard.w)/search?keyword=Joon")
      let workspace = try await yard.a.put("\(yard.w)/transfer/ownership", ["owner_id": .text(yard.b.id)])
      #expect(workspace["owner_id"] == yard.b.userID)
      _ = try await yard.a.get("\(yard.w)/exit")
      #expect(try await yard.b.call(.DELETE, yard.w).status == 200)
      #expect(try await yard.a.get("workspaces") == [])
    }
    try await World.run(engine) { (world) async throws in
      let key = EditionName.january2024.developmentKey
      _ = try await world.call(.POST, "users/validation/email", key: key, .json(["email": "mina@example.com"]))
      let mina = try await world.signUp("Mina", through: .january2024)
      #expect(try await mina.get("workspaces") == [])
      #expect(try await mina.get("users/my")["user_id"] == mina.userID)
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      let chat = try await mina.success(.POST, "\(channel)/chats", .multipart([.file("files", Sample.png)]))
      let path = try #require(chat["files"]?[0]?.string)
      #expect(try await mina.call(.GET, "/v1\(path)").body == Sample.png)
      world.clock.advance(milliseconds: world.server.madang.settings.sessions.refreshLifetime + 1)
      #expect(try await January2024AccountFlowsTests.refresh(mina, nil).code == "E06")
      let again = try await world.call(
        .POST, "users/login", key: key, .json(["email": .text(mina.email), "password": .text(World.password)]))
      #expect(again.status == 200)
    }
  }
}
