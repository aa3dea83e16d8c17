import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Support
import Testing

/// Workspaces and channels as clients of edition 2024-01 use them (wire contract, Call sequences).
@Suite("Edition 2024-01: workspaces and channels", .timeLimit(.minutes(5)))
struct January2024WorkspaceFlowsTests {
  static let workspace: Set<String> = ["workspace_id", "name", "description", "thumbnail", "owner_id", "createdAt"]
  static let channel: Set<String> = [
    "workspace_id", "channel_id", "name", "description", "owner_id", "private", "createdAt",
  ]

  @Test(
    "a workspace keeps odd descriptions, and its picture gets a name of the server's", arguments: TestEngine.available)
  func createWorkspace(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let created = try await mina.success(
        .POST, "workspaces",
        .multipart([
          .file("image", Sample.jpeg, filename: "2024-01-15 12:00:00 +0000.jpg", type: "image/jpg"),
          .text("name", "Weekend"), .text("description", "Optional(\"x\")"),
        ]))
      #expect(created.keys == Self.workspace)
      #expect(created["description"] == "Optional(\"x\")")
      #expect(created["owner_id"] == mina.userID)
      let thumbnail = try #require(created["thumbnail"]?.string)
      #expect(try await mina.call(.GET, "/v1\(thumbnail)").body == Sample.jpeg)
      #expect(try await mina.call(.POST, "workspaces", .multipart([.text("name", "Weekend")])).code == "E12")
      let plain = try await mina.success(.POST, "workspaces", .multipart([.text("name", "W1")]))
      #expect(plain["thumbnail"] == "/static/workspaceCoverImages/default.png")
      #expect(plain["description"] == "")
      for index in 2...9 { _ = try await mina.workspace("W\(index)") }
      #expect(try await mina.call(.POST, "workspaces", .multipart([.text("name", "W10")])).code == "E21")
      let channels = try await mina.get("workspaces/\(created["workspace_id"]?.id ?? "")/channels/my")
      #expect(channels.list?.count == 1)
      #expect(channels[0]?.keys == Self.channel)
      #expect(channels[0]?["name"] == "일반")
      #expect(channels[0]?["private"] == 0)
      #expect(channels[0]?["workspace_id"] == created["workspace_id"])
    }
  }

  @Test("unread counts take after or cursor_date, with or without a value", arguments: TestEngine.available)
  func home(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let joon = try await world.signUp("Joon", through: .january2024)
      let path = try await mina.workspace()
      try await mina.invite(joon, to: path)
      let channel = try await mina.channel("잡담", in: path)
      let detail = try await mina.get(path)
      #expect(detail.keys == Self.workspace.union(["channels", "workspaceMembers"]))
      #expect(detail["channels"]?.list?.map { $0["name"] } == ["잡담", "일반"])
      #expect(detail["workspaceMembers"] == [mina.member, joon.member])
      #expect(try await mina.get("workspaces").list?.count == 1)

      _ = try await joon.get("\(channel)/chats")
      let first = try await joon.say("one", in: channel)
      _ = try await joon.say("two", in: channel)
      let date = try #require(first["createdAt"]?.string)
      for (query, count) in [
        ("", 0), ("?after=", 0), ("?after", 0), ("?after=\(date)", 1), ("?cursor_date=\(date)", 1),
        ("?after=1970-01-01T00:00:00.000Z", 2),
      ] {
        let unread = try await mina.get("\(channel)/unreads\(query)")
        #expect(unread.keys == ["channel_id", "name", "count", "room_id"])
        #expect(unread["count"]?.int == count, "\(query)")
        #expect(unread["room_id"] == unread["channel_id"] && unread["name"] == "잡담")
      }
      #expect(try await mina.call(.GET, "\(channel)/unreads?after=nil").code == "E11")
      let room = try await mina.directMessage(with: joon, in: path)
      let rooms = try await mina.get("\(path)/dms")
      #expect(rooms.list?.count == 1)
      #expect(rooms[0]?.keys == ["workspace_id", "room_id", "createdAt", "user"])
      #expect(rooms[0]?["user"] == joon.member)
      _ = try await joon.say("hi", in: room)
      let unread = try await mina.get("\(room)/unreads?after=1970-01-01T00:00:00.000Z")
      #expect(unread.keys == ["room_id", "count"] && unread["count"] == 1)
      #expect(try await joon.get("\(room)/unreads?after=1970-01-01T00:00:00.000Z")["count"] == 0)
      for query in ["/", "?="] { #expect(try await mina.get("\(path)/channels\(query)").list?.count == 2) }
    }
  }

  @Test(
    "channels are found by name in any Unicode form, and reading their history joins", arguments: TestEngine.available)
  func channels(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let joon = try await world.signUp("Joon", through: .january2024)
      let path = try await mina.workspace()
      try await mina.invite(joon, to: path)
      let bodies: [(String, World.Body)] = [
        ("각자", .json(["name": "각자", "description": "d"])), ("form", .form("name=form")),
        ("raw", .raw(#"{"name":"raw"}"#, type: nil)),
      ]
      for (name, body) in bodies {
        let channel = "\(path)/channels/\(percentEncoded(name))"
        // C3: the name is free as long as the probe fails.
        #expect(try await mina.call(.GET, channel).code == "E13")
        let created = try await mina.success(.POST, "\(path)/channels", body)
        #expect(created.keys == Self.channel)
        #expect(created["name"] == .text(name))
        #expect(try await mina.call(.POST, "\(path)/channels", body).code == "E12")
        #expect(try await joon.get(channel)["channel_id"] == created["channel_id"])
      }
      let once = percentEncoded("각자")
      let decomposed = percentEncoded("각자".decomposedStringWithCanonicalMapping)
      let detail = try await joon.get("\(path)/channels/\(once)")
      #expect(detail.keys == Self.channel.union(["channelMembers"]))
      #expect(detail["channelMembers"] == [mina.member])
      for segment in [
        percentEncoded(once), decomposed, percentEncoded(decomposed), "%20\(once)%20", "my/\(once)", "\(once)/",
      ] {
        #expect(try await joon.get("\(path)/channels/\(segment)") == detail, "\(segment)")
      }

      let channel = "\(path)/channels/\(once)"
      #expect(try await joon.get("\(path)/channels/my").list?.map { $0["name"] } == ["일반"])
      #expect(try await joon.get("\(path)/channels").list?.count == 4)
      #expect(try await joon.get("\(channel)/members") == [mina.member])
      #expect(try await joon.call(.POST, "\(channel)/chats", .json(["content": "x"])).code == "E13")
      #expect(try await joon.get("\(channel)/chats") == [])
      #expect(try await joon.get("\(path)/channels/my").list?.map { $0["name"] } == ["각자", "일반"])
      #expect(try await joon.get("\(channel)/members") == [mina.member, joon.member])
      // The own name again, then another one; afterwards only that leads to it.
      let said = try await joon.say("hello", in: channel)
      #expect(try await mina.put(channel, ["name": "각자", "description": "d"])["description"] == "d")
      #expect(try await mina.code(.PUT, channel, .form("name=a%2Fb")) == "E11")
      #expect(try await mina.code(.PUT, channel, .json(["name": "form"])) == "E12")
      #expect(try await joon.code(.PUT, channel, .json(["name": "x"])) == "E14")
      let renamed = "\(path)/channels/\(percentEncoded("수다"))"
      #expect(try await mina.success(.PUT, channel, .form("name=%EC%88%98%EB%8B%A4"))["name"] == "수다")
      #expect(try await joon.code(.GET, channel) == "E13")
      let chat = try await joon.get("\(renamed)/chats")[0]
      #expect(chat?["chat_id"] == said["chat_id"] && chat?["channelName"] == "수다")
      for name in ["my", ".", "..", "", "a/b"] {
        #expect(try await mina.call(.POST, "\(path)/channels", .json(["name": .text(name)])).code == "E11", "\(name)")
      }
    }
  }

  @Test(
    "a name that looks encoded is tried as it is, then decoded; 'my' is never a name",
    arguments: TestEngine.available)
  func encodedNames(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let path = try await mina.workspace()
      for name in ["%41", "A", "100%", "a b"] { _ = try await mina.channel(name, in: path) }
      // A fixed segment wins over a name, the one further left over the other.
      _ = try await mina.channel("members", in: path)
      #expect(try await mina.get("\(path)/channels/my/members")["name"] == "members")
      #expect(try await mina.get("\(path)/channels/members/members") == [mina.member])
      #expect(try await mina.code(.GET, "\(path)/channels/my/chats") == "E13")
      #expect(try await mina.code(.POST, "\(path)/channels/my/chats", .json(["content": "x"])) == "E97")
      // Made through the other edition, where names are not addresses.
      let october = try await world.signIn(mina, through: .october2024)
      let workspace = try #require(try await october.get("workspaces")[0]?["workspace_id"]?.string)
      _ = try await october.channel("a/b", in: "workspaces/\(workspace)")
      for (segment, name) in [
        ("%2541", "%41"), ("%41", "A"), ("A", "A"), ("100%25", "100%"), ("100%", "100%"), ("a%20b", "a b"),
        ("a%2Fb", "a/b"), ("a%252Fb", "a/b"), ("%252541", "%41"),
      ] {
        #expect(try await mina.get("\(path)/channels/\(segment)")["name"] == .text(name), "\(segment)")
      }
      for segment in ["%00", "a%00", "%2500", "a", "%61", "%20", "nothing%25"] {
        #expect(try await mina.call(.GET, "\(path)/channels/\(segment)").code == "E13", "\(segment)")
      }
      // A name is looked up in its own workspace, through the caller's membership.
      let other = try await mina.workspace("Other")
      #expect(try await mina.call(.GET, "\(other)/channels/A").code == "E13")
      let joon = try await world.signUp("Joon", through: .january2024)
      for call in ["", "/members", "/unreads", "/chats"] {
        #expect(try await joon.call(.GET, "\(path)/channels/A\(call)").code == "E13")
      }
      #expect(try await joon.call(.POST, "\(path)/channels/A/chats", .json(["content": "x"])).code == "E13")
    }
  }

  @Test(
    "inviting an unknown e-mail is E03, and a channel is handed over by a PUT with an ignored body",
    arguments: TestEngine.available)
  func channelSettings(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let joon = try await world.signUp("Joon", through: .january2024)
      let path = try await mina.workspace()
      let invite = { (person: TestPerson, email: String) in
        try await person.call(.POST, "\(path)/members", .json(["email": .text(email)]))
      }
      #expect(try await invite(joon, "sora@example.com").code == "E13")
      #expect(try await invite(mina, joon.email).json == joon.member)
      #expect(try await invite(mina, "sora@example.com").code == "E03")
      #expect(try await invite(mina, joon.email).code == "E12")
      #expect(try await invite(joon, "sora@example.com").code == "E14")
      #expect(try await invite(mina, "sora").code == "E11")
      #expect(try await mina.get("\(path)/members/\(joon.id)") == joon.member)

      let channel = try await mina.channel("잡담", in: path)
      let handOver = { (person: TestPerson, owner: String) in
        try await person.call(.PUT, "\(channel)/change/admin/\(owner)", .raw("{}", type: nil))
      }
      #expect(try await handOver(mina, joon.id).code == "E13")
      _ = try await joon.get("\(channel)/chats")
      #expect(try await handOver(joon, joon.id).code == "E14")
      let handed = try await handOver(mina, joon.id).json
      #expect(handed.keys == Self.channel && handed["owner_id"] == joon.userID)
      #expect(try await joon.code(.GET, "\(channel)/leave") == "E15")
      #expect(try await mina.get("\(channel)/leave").list?.map { $0["name"] } == ["일반"])
      #expect(try await mina.code(.GET, "\(channel)/leave") == "E13")
      #expect(try await mina.code(.DELETE, channel) == "E14")

      let general = "\(path)/channels/\(percentEncoded("일반"))"
      #expect(try await mina.code(.DELETE, general) == "E11")
      #expect(try await mina.code(.PUT, general, .json(["name": "x"])) == "E11")
      #expect(try await joon.code(.GET, "\(general)/leave") == "E11")
      #expect(try await mina.code(.PUT, "\(general)/change/admin/\(joon.id)") == "E11")
      let deleted = try await joon.call(.DELETE, channel, .raw("{}", type: nil))
      #expect(deleted.status == 200 && deleted.body.isEmpty && deleted.headers["content-length"] == ["0"])
      #expect(try await joon.code(.GET, channel) == "E13")
    }
  }

  @Test("a workspace is edited, searched, handed over, left and deleted", arguments: TestEngine.available)
  func workspaceSettings(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard(through: .january2024)
      let (a, b, c, w) = (yard.a, yard.b, yard.c, yard.w)
      let picture = World.Part.file("image", Sample.png, type: "image/jpg")
      let whole = World.Body.multipart([.text("description", "y"), picture, .text("name", "Weekend Builders")])
      let edited = try await a.success(.PUT, w, whole)
      #expect(edited.keys == Self.workspace && edited["description"] == "y")
      #expect(edited["thumbnail"]?.string?.hasSuffix(".png") == true)
      #expect(try await b.code(.PUT, w, whole) == "E14")
      #expect(try await c.code(.PUT, w, whole) == "E13")

      _ = try await b.channel("ios", in: w)
      let found = try await b.get("\(w)/search?keyword=IO")
      #expect(found.keys == Self.workspace.union(["channels", "workspaceMembers"]))
      #expect(found["channels"]?.list?.map { $0["name"] } == ["ios"] && found["workspaceMembers"] == [])
      #expect(try await b.code(.GET, "\(w)/search?keyword=") == "E11")

      let handOver = { (person: TestPerson, owner: String) in
        try await person.call(.PUT, "\(w)/change/admin/\(owner)", .raw("{}", type: nil))
      }
      #expect(try await handOver(b, b.id).code == "E14")
      #expect(try await handOver(a, c.id).code == "E13")
      #expect(try await handOver(a, "0").code == "E13")
      #expect(try await a.code(.GET, "\(w)/leave") == "E15")
      let handed = try await handOver(a, b.id).json
      #expect(handed.keys == Self.workspace && handed["owner_id"] == b.userID)
      #expect(try await a.get("\(w)/channels").list?.last?["owner_id"] == b.userID)
      #expect(try await b.code(.GET, "\(w)/leave") == "E15")
      _ = try await a.workspace("Other")
      #expect(try await a.get("\(w)/leave").list?.map { $0["name"] } == ["Other"])
      #expect(try await a.code(.GET, w) == "E13")
      #expect(try await a.code(.DELETE, w) == "E13")
      let deleted = try await b.call(.DELETE, w)
      #expect(deleted.status == 200 && deleted.body.isEmpty)
      #expect(try await b.get("workspaces") == [])
    }
  }

  @Test("ids are positive digits; every other form names nothing", arguments: TestEngine.available)
  func ids(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let path = try await mina.workspace()
      let id = String(path.dropFirst("workspaces/".count))
      let bad = [
        "-1", "0", "0\(id)", "+\(id)", "%20\(id)", "\(id).0", "1e0", "99999999999999999999999", "9223372036854775808",
        "9223372036854775807", "x", "%00", "٣",
      ]
      for id in bad {
        #expect(try await mina.call(.GET, "workspaces/\(id)").code == "E13", "\(id)")
        #expect(try await mina.call(.GET, "workspaces/\(id)/channels/my").code == "E13", "\(id)")
        #expect(try await mina.call(.GET, "\(path)/dms/\(id)/chats").code == "E13", "\(id)")
        #expect(try await mina.call(.GET, "\(path)/dms/\(id)/unreads").code == "E13", "\(id)")
        #expect(try await mina.call(.POST, "\(path)/dms/\(id)/chats", .json(["content": "x"])).code == "E13", "\(id)")
        #expect(try await mina.call(.GET, "users/\(id)").code == "E03", "\(id)")
      }
    }
  }
}
