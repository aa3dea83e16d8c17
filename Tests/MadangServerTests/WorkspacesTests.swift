import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("Workspaces and channels", .timeLimit(.minutes(5)))
struct WorkspacesTests {
  @Test(
    "creating a workspace costs coins and makes its default channel, all or nothing", arguments: TestEngine.available)
  func create(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let answer = try await mina.call(
        .POST, "workspaces",
        .multipart([
          .file("image", Sample.jpeg), .text("description", "nil"),
          .text("name", " Weekend ", extra: "; filename=\"\""),
        ]))
      let workspace = try answer.json
      #expect(
        workspace.keys == ["workspace_id", "name", "description", "coverImage", "owner_id", "createdAt"])
      #expect(workspace["name"] == "Weekend")
      #expect(workspace["description"] == "nil")
      #expect(workspace["owner_id"] == .text(mina.id))
      let cover = try #require(workspace["coverImage"]?.string)
      #expect(try await mina.call(.GET, "/v1\(cover)").body == Sample.jpeg)
      #expect(try await mina.get("users/me")["sesacCoin"] == 90)

      let path = "workspaces/\(workspace["workspace_id"]?.string ?? "")"
      let channels = try await mina.get("\(path)/my-channels")
      #expect(channels.list?.count == 1)
      #expect(channels[0]?["name"] == "일반")
      #expect(channels[0]?["description"]?.string?.isEmpty == false)
      let picture = try #require(channels[0]?["coverImage"]?.string)
      #expect(picture == "/static/channelCoverImages/default.png")
      #expect(try await mina.call(.GET, "/v1\(picture)").headers["content-type"] == ["image/png"])
      let detail = try await mina.get(path)
      #expect(detail["channels"] == channels)
      #expect(detail["workspaceMembers"] == [mina.member])

      // Order of checks: E11, E12, E21; a refusal leaves nothing.
      #expect(try await mina.call(.POST, "workspaces", .json([:])).code == "E11")
      #expect(try await mina.call(.POST, "workspaces", .json(["name": "Weekend"])).code == "E12")
      for index in 1...9 { _ = try await mina.workspace("W\(index)") }
      #expect(try await mina.get("users/me")["sesacCoin"] == 0)
      #expect(try await mina.call(.POST, "workspaces", .json(["name": "Weekend"])).code == "E12")
      let refused = World.Body.multipart([.text("name", "One more"), .file("image", Sample.png)])
      #expect(try await mina.call(.POST, "workspaces", refused).code == "E21")
      #expect(try await world.files(in: "workspaceCoverImages").count == 2)
      #expect(try await world.files(in: "uploads").isEmpty)
      // Newest first, whatever the query asks.
      let names = try await mina.get("workspaces?workspaceID=x").list?.map { $0["name"]?.string }
      #expect(names == (1...9).reversed().map { "W\($0)" } + ["Weekend"])
    }
  }

  @Test(
    "ten of 100 parallel creations with coins for ten succeed, and the ledger sums to zero",
    arguments: TestEngine.available
  )
  func coins(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let codes = try await withThrowingTaskGroup(of: String?.self) { group in
        for index in 0..<100 {
          group.addTask {
            let answer = try await mina.call(.POST, "workspaces", .json(["name": .text("W\(index)")]))
            return answer.status == 200 ? "200" : answer.code
          }
        }
        return try await group.reduce(into: [:]) { $0[$1 ?? "?", default: 0] += 1 }
      }
      #expect(codes == ["200": 10, "E21": 90])
      #expect(try await mina.get("users/me")["sesacCoin"] == 0)
      #expect(try await mina.get("workspaces").list?.count == 10)
      let sum = try await world.server.madang.database.read {
        try $0.first("SELECT SUM(amount) AS total, COUNT(*) AS entries FROM coin_entries") {
          [try $0.get("total") as Int, try $0.get("entries") as Int]
        }
      }
      #expect(sum == [0, 11])
    }
  }

  @Test("one of several parallel creations with one name succeeds", arguments: TestEngine.available)
  func sameName(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      for path in ["workspaces", "\(workspace)/channels"] {
        let statuses = try await withThrowingTaskGroup(of: String.self) { group in
          for _ in 0..<20 {
            group.addTask {
              let answer = try await mina.call(.POST, path, .json(["name": "same"]))
              return answer.code ?? "\(answer.status)"
            }
          }
          return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == ["200": 1, "E12": 19])
      }
    }
  }

  @Test("an invitation takes effect at once and is refused in the contract's order", arguments: TestEngine.available)
  func invite(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      let sora = try await world.signUp("Sora")
      let path = try await mina.workspace()
      let invite = { (person: TestPerson, email: String) in
        try await person.call(.POST, "\(path)/members", .json(["email": .text(email)]))
      }
      #expect(try await invite(joon, "nonsense").code == "E11")
      #expect(try await invite(joon, sora.email).code == "E13")
      #expect(try await invite(mina, "JOON@example.com").json == joon.member)
      #expect(try await invite(joon, sora.email).code == "E14")
      #expect(try await invite(mina, "nobody@example.com").code == "E13")
      #expect(try await invite(mina, joon.email).code == "E12")
      #expect(try await joon.get("\(path)/members") == [mina.member, joon.member])
      #expect(try await joon.get("\(path)/my-channels").list?.count == 1)
      for call in ["", "/members", "/channels", "/my-channels", "/dms"] {
        #expect(try await sora.call(.GET, path + call).code == "E13")
      }
      for id in ["-1", "0", "x", "00000000-0000-4000-8000-000000000000", "%00"] {
        #expect(try await mina.call(.GET, "workspaces/\(id)").code == "E13")
      }
    }
  }

  @Test("any member makes channels, whose names are unique in their workspace only", arguments: TestEngine.available)
  func channels(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      let path = try await mina.workspace()
      let other = try await mina.workspace("Other")
      try await mina.invite(joon, to: path)
      let empty = World.Body.multipart([.text("name", "잡담"), .file("image", [])])
      let channel = try await joon.call(.POST, "\(path)/channels", empty).json
      #expect(
        channel.keys == ["channel_id", "name", "description", "coverImage", "owner_id", "createdAt"])
      #expect(channel["owner_id"] == .text(joon.id))
      #expect(channel["description"] == "")
      #expect(try await mina.call(.POST, "\(path)/channels", .json(["name": "잡담"])).code == "E12")
      _ = try await mina.channel("잡담", in: other)
      for name in ["my", "..", "", "0123456789012345678901234567890"] {
        #expect(try await mina.call(.POST, "\(path)/channels", .json(["name": .text(name)])).code == "E11")
      }
      #expect(try await joon.call(.POST, "\(other)/channels", .json(["name": "x"])).code == "E13")
      #expect(try await mina.get("\(path)/channels").list?.map { $0["name"] } == ["잡담", "일반"])
      #expect(try await mina.get("\(path)/my-channels").list?.map { $0["name"] } == ["일반"])
      let id = try #require(channel["channel_id"]?.string)
      #expect(try await mina.get("\(path)/channels/\(id)")["channelMembers"] == [joon.member])
      #expect(try await mina.get("\(path)/channels/\(id)/members") == [joon.member])
      // A channel is found through its own workspace only.
      #expect(try await mina.call(.GET, "\(other)/channels/\(id)").code == "E13")
    }
  }
}
