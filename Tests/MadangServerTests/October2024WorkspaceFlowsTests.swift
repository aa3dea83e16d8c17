import MadangAPI
import NIOHTTP1
import Support
import Testing

/// Workspaces and channels as clients of edition 2024-10 use them (wire contract, Call sequences).
@Suite("Edition 2024-10: workspaces and channels", .timeLimit(.minutes(5)))
struct October2024WorkspaceFlowsTests {
  @Test(
    "a workspace is created from every multipart form that 2024-10 clients send, until the coins are used up",
    arguments: TestEngine.available)
  func createWorkspace(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let picture = World.Part.file("image", Sample.jpeg)
      let typed = "\r\nContent-Type: image/jpeg"
      let bodies: [World.Body] = [
        .multipart([.text("name", "W1"), .text("description", "we build"), picture]),
        .multipart([.text("name", "W2"), picture]),
        .multipart([.text("name", "W3"), .text("description", "")]),
        .multipart([.text("name", "W4", extra: typed), .text("description", "x", extra: typed), picture]),
        .multipart([picture, .text("name", "W5", extra: "; filename=\"\""), .text("description", "y")]),
      ]
      for (index, body) in bodies.enumerated() {
        let workspace = try await a.success(.POST, "workspaces", body)
        #expect(workspace["name"] == .text("W\(index + 1)"))
        #expect(workspace["description"]?.string != nil)
        #expect(workspace["coverImage"]?.string?.split(separator: "/").count == 3)
      }
      #expect(try await a.code(.POST, "workspaces", bodies[0]) == "E12")
      #expect(try await a.code(.POST, "workspaces", .multipart([picture])) == "E11")
      for index in 6...10 { _ = try await a.workspace("W\(index)") }
      #expect(try await a.code(.POST, "workspaces", .json(["name": "W11"])) == "E21")
      let newest = try #require(try await a.get("workspaces")[0]?["workspace_id"]?.string)
      #expect(try await a.get("workspaces/\(newest)/my-channels").list?.map { $0["name"] } == ["일반"])
      #expect(try await a.get("users/me")["sesacCoin"] == 0)
    }
  }

  @Test("the calls of a 2024-10 home screen answer lists, details and unread counts", arguments: TestEngine.available)
  func home(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, w) = (yard.a, yard.w)
      let channel = try await a.channel("ios", in: w)
      let room = try await a.directMessage(with: yard.b, in: w)
      let ts = try #require(try await a.say("hi", in: room)["createdAt"]?.string)
      _ = try await yard.b.say("hi", in: room)
      #expect(try await a.get("users/me")["sesacCoin"] == 90)
      let detail = try await a.get(w)
      #expect(detail["channels"]?.list?.count == 2 && detail["workspaceMembers"]?.list?.count == 2)
      #expect(try await a.get("\(w)/dms").list?.count == 1)
      #expect(try await a.get("\(room)/unreads?after=\(ts)")["count"] == 1)
      for mine in try #require(try await a.get("\(w)/my-channels").list) {
        let id = try #require(mine["channel_id"]?.string)
        for after in [ts, "1970-01-01T00:00:00.000Z", "2024-01-01T00%3A00%3A00.000Z"] {
          #expect(try await a.get("\(w)/channels/\(id)/unreads?after=\(after)")["room_id"] == .text(id))
        }
      }
      let id = String(w.split(separator: "/").last ?? "")
      for path in ["workspaces", "workspaces/", "workspaces?", "workspaces?workspaceID=\(id)"] {
        #expect(try await a.get(path).list?.count == 1, "\(path)")
      }
      async let channels = a.get("\(w)/channels")
      async let mine = a.get("\(w)/my-channels")
      #expect(try await channels == mine)
      for chats in [room, channel] { #expect(try await a.get("\(chats)/chats").list != nil) }
      #expect(try await a.get("\(w)/dms") == (try await a.get("\(w)/dms")))
    }
  }

  @Test(
    "before there is a workspace, an empty id in a path is E13 and an empty path E97",
    arguments: TestEngine.available)
  func firstHome(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let c = try await world.signUp("Sora")
      #expect(try await c.get("workspaces") == [])
      for path in ["channels", "my-channels", "dms", "members"] {
        #expect(try await c.code(.GET, "/v1/workspaces//\(path)") == "E13", "\(path)")
      }
      for path in ["/v1", "/v1/users/", "/v1/v1/users/me"] {
        #expect(try await c.code(.GET, path) == "E97", "\(path)")
      }
    }
  }

  @Test("members create channels, and only their owners edit them", arguments: TestEngine.available)
  func channel(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let picture = World.Part.file("image", Sample.png)
      let bodies: [World.Body] = [
        .json(["name": "C1", "description": "x"]), .multipart([.text("name", "C2")]),
        .multipart([.text("name", "C3"), .text("description", "y"), .file("image", [])]),
        .multipart([.text("name", "C4"), .text("description", "y"), picture]),
      ]
      var paths: [String] = []
      var cover: JSON?
      for body in bodies {
        let channel = try await a.success(.POST, "\(w)/channels", body)
        #expect(channel["description"]?.string != nil && channel["coverImage"]?.string != nil)
        cover = channel["coverImage"]
        paths.append("\(w)/channels/\(try #require(channel["channel_id"]?.string))")
      }
      #expect(try await a.code(.POST, "\(w)/channels", bodies[0]) == "E12")
      _ = try await b.channel("C5", in: w)

      let last = paths[3]
      let same = World.Body.multipart([.text("name", "C4"), .text("description", "new"), .file("image", [])])
      let edited = try await a.success(.PUT, last, same)
      #expect(edited["name"] == "C4" && edited["description"] == "new" && edited["coverImage"] == cover)
      let redrawn = try await a.success(.PUT, last, .multipart([.text("name", ""), .file("image", Sample.gif)]))
      #expect(redrawn["name"] == "C4" && redrawn["description"] == "new" && redrawn["coverImage"] != cover)
      #expect(try await a.put(last, ["description": "", "name": nil])["description"] == "")
      #expect(try await a.code(.PUT, last, .json(["name": "C1"])) == "E12")
      #expect(try await a.code(.PUT, last, .json(["name": "my"])) == "E11")
      #expect(try await a.code(.PUT, last, .multipart([.file("image", Sample.pdf)])) == "E11")
      #expect(try await b.code(.PUT, last, same) == "E14")
      #expect(try await yard.c.code(.PUT, last, same) == "E13")

      let general = try #require(try await a.get("\(w)/channels").list?.last?["channel_id"]?.string)
      let first = "\(w)/channels/\(general)"
      #expect(try await a.code(.PUT, first, .json(["name": "general"])) == "E11")
      #expect(try await b.code(.PUT, first, .json(["name": "general"])) == "E14")
      #expect(try await a.put(first, ["name": " 일반 ", "description": "all of us"])["description"] == "all of us")
      // Old chats show the present name.
      _ = try await a.say("hello", in: last)
      _ = try await a.put(last, ["name": "Renamed"])
      #expect(try await a.get("\(last)/chats")[0]?["channelName"] == "Renamed")
      #expect(try await world.files(in: "uploads").isEmpty)
    }
  }

  @Test("exploring a channel does not join it, reading its history does", arguments: TestEngine.available)
  func join(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let queries = ["?cursor_date=", "?cursor_date", "", "?cursor_date=2999-01-01T00:00:00.000Z"]
      for (index, query) in queries.enumerated() {
        let channel = try await a.channel("C\(index)", in: w)
        let id = String(channel.split(separator: "/").last ?? "")
        _ = try await a.say("hello", in: channel)
        let ids = { (list: JSON) in list.list?.contains { $0["channel_id"] == .text(id) } }
        #expect(ids(try await b.get("\(w)/channels")) == true)
        #expect(ids(try await b.get("\(w)/my-channels")) == false)
        #expect(try await b.get(channel)["channelMembers"] == [a.member])
        #expect(try await b.get("users/\(a.id)?userID=\(a.id)") == a.member)
        #expect(try await b.get("\(channel)/unreads?after=1970-01-01T00:00:00.000Z")["count"] == 1)
        #expect(try await b.get("\(channel)/members") == [a.member])
        #expect(try await b.code(.POST, "\(channel)/chats", .json(["content": "x"])) == "E13")
        let isFuture = query.contains("2999")
        #expect(try await b.get("\(channel)/chats\(query)").list?.count == (isFuture ? 0 : 1))
        #expect(ids(try await b.get("\(w)/my-channels")) == true)
        _ = try await b.say("x", in: channel)
      }
    }
  }

  @Test(
    "a channel's owner hands it over before leaving, and deleting it removes its files", arguments: TestEngine.available
  )
  func channelSettings(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, c, w) = (yard.a, yard.b, yard.c, yard.w)
      let channel = try await a.channel("ios", in: w)
      let id = JSON.text(String(channel.split(separator: "/").last ?? ""))
      let transfer = "\(channel)/transfer/ownership"
      let file = World.Body.multipart([.file("files", Sample.png)])
      let path = try #require(try await a.success(.POST, "\(channel)/chats", file)["files"]?[0]?.string)
      _ = try await b.get("\(channel)/chats")
      #expect(try await a.get(channel)["channelMembers"] == [a.member, b.member])
      #expect(try await a.get("\(channel)/members") == [a.member, b.member])

      #expect(try await b.code(.PUT, transfer, .json(["owner_id": .text(b.id)])) == "E14")
      #expect(try await a.code(.PUT, transfer, .json(["owner_id": .text(c.id)])) == "E13")
      #expect(try await a.code(.PUT, transfer, .json([:])) == "E11")
      #expect(try await a.put(transfer, ["owner_id": .text(a.id)])["owner_id"] == .text(a.id))
      #expect(try await a.put(transfer, ["owner_id": .text(b.id)])["owner_id"] == .text(b.id))

      let left = try #require(try await a.get("\(channel)/exit").list)
      #expect(left.map { $0["name"] } == ["일반"])
      #expect(try await a.code(.GET, "\(channel)/exit") == "E13")
      #expect(try await a.get("\(channel)/chats").list?.count == 1)
      #expect(try await a.get("\(w)/my-channels").list?.first?["channel_id"] == id)

      #expect(try await b.code(.GET, "\(channel)/exit") == "E15")
      let general = try #require(try await a.get("\(w)/channels").list?.last?["channel_id"]?.string)
      let first = "\(w)/channels/\(general)"
      #expect(try await b.code(.GET, "\(first)/exit") == "E11")
      #expect(try await a.code(.GET, "\(first)/exit") == "E11")
      #expect(try await a.code(.DELETE, first) == "E11")
      #expect(try await a.code(.PUT, "\(first)/transfer/ownership", .json(["owner_id": .text(b.id)])) == "E11")

      #expect(try await a.code(.DELETE, channel) == "E14")
      #expect(try await c.code(.DELETE, channel) == "E13")
      let deleted = try await b.call(.DELETE, channel, headers: [("Content-Type", "multipart/form-data")])
      #expect(String(decoding: deleted.body, as: UTF8.self) == "{}")
      #expect(try await b.code(.GET, channel) == "E13")
      #expect(try await b.code(.GET, "/v1\(path)") == "E13")
      #expect(try await World.eventually { try await world.files(in: "channelChats").isEmpty })
    }
  }

  @Test("the owner of a workspace invites and edits, and every member searches", arguments: TestEngine.available)
  func workspaceSettings(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let b = try await world.signUp("Joon")
      let w = try await a.workspace()
      let invite = { (person: TestPerson, email: String) in
        try await person.call(.POST, "\(w)/members", .json(["email": .text(email)]))
      }
      #expect(try await invite(a, b.email).json == b.member)
      #expect(try await invite(a, b.email).code == "E12")
      #expect(try await invite(a, "nobody@example.com").code == "E13")
      #expect(try await invite(a, "nonsense").code == "E11")
      #expect(try await invite(b, "nobody@example.com").code == "E14")
      #expect(try await a.get("\(w)/members/\(b.id)") == b.member)

      #expect(try await a.put(w, ["name": "Renamed", "description": "x"])["name"] == "Renamed")
      let picture = World.Part.file("image", Sample.png)
      let whole = World.Body.multipart([.text("name", "Renamed"), .text("description", "y"), picture])
      let cover = try await a.success(.PUT, w, whole)["coverImage"]
      let part = try await a.success(.PUT, w, .multipart([.text("description", "z"), .file("image", [])]))
      #expect(part["name"] == "Renamed" && part["description"] == "z" && part["coverImage"] == cover)
      _ = try await b.workspace("Taken")
      #expect(try await a.code(.PUT, w, .json(["name": "Taken"])) == "E12")
      #expect(try await b.code(.PUT, w, .json(["name": "x"])) == "E14")
      #expect(try await a.code(.PUT, w, .json(["name": .text(String(repeating: "x", count: 31))])) == "E11")

      _ = try await a.channel("Éclair", in: w)
      let found = try await b.get("\(w)/search?keyword=MI")
      #expect(found["channels"] == [] && found["workspaceMembers"] == [a.member])
      #expect(found.keys == (try await b.get(w)).keys)
      #expect(try await b.get("\(w)/search?keyword=%C3%A9c")["channels"]?.list?.count == 1)
      #expect(try await b.get("\(w)/search?keyword=example.com")["workspaceMembers"]?.list?.count == 2)
      let nothing = try await b.get("\(w)/search?keyword=zz")
      #expect(nothing["channels"] == [] && nothing["workspaceMembers"] == [])
      for query in ["", "?keyword", "?keyword=", "?keyword=\(String(repeating: "x", count: 101))"] {
        #expect(try await b.code(.GET, "\(w)/search\(query)") == "E11", "\(query)")
      }
    }
  }

  @Test(
    "the owner of a workspace hands it over before leaving; direct messages outlive a membership",
    arguments: TestEngine.available)
  func workspaceEnd(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, c, w) = (yard.a, yard.b, yard.c, yard.w)
      let transfer = "\(w)/transfer/ownership"
      #expect(try await a.code(.GET, "\(w)/exit") == "E15")
      #expect(try await b.code(.PUT, transfer, .json(["owner_id": .text(b.id)])) == "E14")
      #expect(try await a.code(.PUT, transfer, .json(["owner_id": .text(c.id)])) == "E13")
      #expect(try await a.code(.PUT, transfer, .json([:])) == "E11")
      #expect(try await c.code(.PUT, transfer, .json(["owner_id": .text(c.id)])) == "E13")
      #expect(try await a.put(transfer, ["owner_id": .text(b.id)])["owner_id"] == .text(b.id))
      #expect(try await a.get("\(w)/channels")[0]?["owner_id"] == .text(b.id))

      // The owner of a channel cannot leave before handing it over.
      let channel = try await a.channel("ios", in: w)
      #expect(try await a.code(.GET, "\(w)/exit") == "E15")
      _ = try await b.get("\(channel)/chats")
      _ = try await a.put("\(channel)/transfer/ownership", ["owner_id": .text(b.id)])
      let room = try await a.directMessage(with: b, in: w)
      _ = try await a.say("hi", in: room)
      #expect(try await a.get("\(w)/exit") == [])
      #expect(try await a.code(.GET, "\(w)/exit") == "E13")
      #expect(try await a.code(.GET, "\(room)/chats") == "E13")
      #expect(try await b.get("\(w)/members") == [b.member])
      #expect(try await b.get("\(channel)/members") == [b.member])
      // The direct message stays with the other person, and comes back with the leaver.
      #expect(try await b.say("still here", in: room)["content"] == "still here")
      #expect(try await b.get("\(w)/dms").list?.count == 1)
      try await b.invite(a, to: w)
      #expect(try await a.get("\(room)/chats").list?.count == 2)
      #expect(try await a.get("\(w)/my-channels").list?.map { $0["name"] } == ["일반"])

      let cover = World.Body.multipart([.file("image", Sample.png)])
      _ = try await b.success(.PUT, w, cover)
      _ = try await b.success(.PUT, channel, cover)
      _ = try await b.success(.POST, "\(room)/chats", .multipart([.file("files", Sample.png)]))
      #expect(try await a.code(.DELETE, w) == "E14")
      #expect(try await c.code(.DELETE, w) == "E13")
      #expect(try await b.success(.DELETE, w) == [:])
      #expect(try await b.code(.DELETE, w) == "E13")
      #expect(try await a.code(.GET, w) == "E13")
      #expect(try await a.get("workspaces") == [])
      #expect(try await a.get("users/me")["sesacCoin"] == 90)
      #expect(
        try await World.eventually {
          for folder in ["channelCoverImages", "workspaceCoverImages"] {
            guard try await world.files(in: folder).count == 1 else { return false }
          }
          return try await world.hasNoFiles(in: "dmChats")
        })
      // The name is free again.
      _ = try await a.workspace("Weekend Builders")
    }
  }
}
