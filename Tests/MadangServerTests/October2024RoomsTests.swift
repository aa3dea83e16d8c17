import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Support
import Testing

/// Odd requests of real clients (wire contract, Objects; Dates; List order; Chats).
@Suite("Edition 2024-10: objects, dates, lists and rooms", .timeLimit(.minutes(5)))
struct October2024RoomsTests {
  @Test("a success is 200, a refusal 400 with one key, and an empty answer {}")
  func statuses() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let calls: [(HTTPMethod, String, World.Body)] = [
        (.POST, "users/validation/email", .json(["email": "x@example.com"])),
        (.POST, "users/deviceToken", .json(["deviceToken": "x"])), (.POST, "\(w)/channels", .json(["name": "x"])),
        (.GET, w, .none), (.DELETE, w, .none), (.GET, "users/logout", .none),
      ]
      for (index, (method, path, body)) in calls.enumerated() {
        let answer = try await a.call(method, path, body)
        #expect(answer.status == 200, "\(path)")
        if [0, 1, 4, 5].contains(index) { #expect(String(decoding: answer.body, as: UTF8.self) == "{}") }
      }
      for (method, path) in [(HTTPMethod.GET, "users/me"), (.GET, "nothing"), (.DELETE, "users/me"), (.POST, "v1")] {
        let answer = try await a.call(method, path)
        #expect(answer.status == 400 && answer.code != nil, "\(path)")
        #expect(answer.headers["content-type"] == ["application/json; charset=utf-8"])
      }
    }
  }

  @Test("texts are never null, unread counts have room_id, and lists are arrays")
  func shapes() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let channel = try await a.channel("ios", in: w)
      let chat = try await a.success(.POST, "\(channel)/chats", .multipart([.file("files", Sample.png)]))
      #expect(chat["content"] == "")
      for object in [try await a.get(w), try await a.get(channel)] {
        for key in ["description", "coverImage", "name", "owner_id", "createdAt"] {
          #expect(object[key]?.string != nil, "\(key)")
        }
      }
      #expect(try await a.get("users/me")["phone"] == "")
      let unread = try await a.get("\(channel)/unreads")
      #expect(unread["room_id"] == unread["channel_id"] && unread["count"] == 0)
      for path in ["\(w)/members", "\(channel)/members", "workspaces", "\(w)/dms"] {
        #expect(try await a.get(path).list != nil, "\(path)")
      }
    }
  }

  @Test("every date has 24 characters with milliseconds and Z, so that text order is time order")
  func dates() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      var dates = [try await a.get("users/me")["createdAt"]?.string]
      for (index, pause) in [1, 10, 999, 1000, 86_400_000 - 100_000].enumerated() {
        world.clock.advance(milliseconds: Int64(pause))
        let refreshed = try await October2024ClientsTests.refresh(a, nil).json["accessToken"]?.string
        let made = try await world.call(.POST, "workspaces", token: refreshed, .json(["name": .text("W\(index)")]))
        dates.append(try made.json["createdAt"]?.string)
      }
      let texts = dates.compactMap(\.self)
      #expect(texts.count == dates.count && texts == texts.sorted() && Set(texts).count == texts.count)
      for text in texts {
        #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(text)")
      }
    }
  }

  @Test(
    "without a cursor the history is whole, with a date of now or later empty, and both join",
    arguments: TestEngine.available)
  func cursors(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let now = WireDate.string(world.clock.now + 60_000)
      let seoul = WireDate.string(world.clock.now, offset: 9 * 3_600_000)
      let cursors = [
        ("", 1), ("?cursor_date", 1), ("?cursor_date=", 1), ("?cursor_date=1970-01-01T00:00:00.000Z", 1),
        ("?cursor_date=2024-01-01T00:00:00Z", 1), ("?cursor_date=\(now)", 0), ("?cursor_date=\(seoul)", 0),
      ]
      for (index, (query, count)) in cursors.enumerated() {
        let channel = try await yard.a.channel("C\(index)", in: yard.w)
        _ = try await yard.a.say("x", in: channel)
        #expect(try await yard.b.get("\(channel)/chats\(query)").list?.count == count, "\(query)")
        #expect(try await yard.b.get("\(channel)/members").list?.count == 2, "\(query)")
      }
    }
  }

  @Test(
    "workspaces and channels come newest first, each once, and members include the caller",
    arguments: TestEngine.available)
  func lists(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      // What is made within one millisecond has its order too.
      for index in 1...3 { _ = try await a.workspace("W\(index)") }
      #expect(try await a.get("workspaces").list?.map { $0["name"] } == ["W3", "W2", "W1", "Weekend Builders"])
      for index in 1...3 {
        let channel = try await a.channel("C\(index)", in: w)
        for _ in 0..<2 { _ = try await b.get("\(channel)/chats") }
      }
      for path in ["channels", "my-channels"] {
        #expect(try await b.get("\(w)/\(path)").list?.map { $0["name"] } == ["C3", "C2", "C1", "일반"], "\(path)")
      }
      #expect(try await b.get("\(w)/members") == [a.member, b.member])
      #expect(try await b.get(w)["workspaceMembers"] == [a.member, b.member])
    }
  }

  @Test(
    "a history is ascending, and its last date as cursor gives the chats that follow", arguments: TestEngine.available)
  func ascending(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      var cursor = ""
      for index in 0..<6 {
        let chat = try await a.say("\(index)", in: channel)
        let page = try #require(try await a.get("\(channel)/chats?cursor_date=\(cursor)").list)
        #expect(page == [chat])
        cursor = try #require(page.last?["createdAt"]?.string)
      }
      #expect(try await a.get("\(channel)/chats").list?.map { $0["content"] } == (0..<6).map { .text("\($0)") })
    }
  }

  @Test("a late history call joins again after leaving", arguments: TestEngine.available)
  func rejoin(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      _ = try await yard.a.say("x", in: channel)
      for _ in 0..<2 {
        #expect(try await yard.b.get("\(channel)/chats").list?.count == 1)
        #expect(try await yard.b.get("\(channel)/exit").list?.count == 1)
        #expect(try await yard.b.code(.GET, "\(channel)/exit") == "E13")
        #expect(try await yard.b.code(.POST, "\(channel)/chats", .json(["content": "x"])) == "E13")
      }
    }
  }

  @Test(
    "a direct message opens the same room each time, from either side", arguments: TestEngine.available)
  func sameRoom(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      var rooms: Set<String> = []
      for _ in 0..<3 {
        rooms.insert(try await yard.a.directMessage(with: yard.b, in: yard.w))
        rooms.insert(try await yard.b.directMessage(with: yard.a, in: yard.w))
      }
      #expect(rooms.count == 1)
      #expect(try await yard.a.get("\(yard.w)/dms").list?.count == 1)
    }
  }

  @Test("two people who share several workspaces have a room in each", arguments: TestEngine.available)
  func roomPerWorkspace(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let other = try await yard.a.workspace("Other")
      try await yard.a.invite(yard.b, to: other)
      let first = try await yard.a.directMessage(with: yard.b, in: yard.w)
      let second = try await yard.a.directMessage(with: yard.b, in: other)
      _ = try await yard.a.say("x", in: first)
      #expect(try await yard.b.get("\(second)/chats") == [])
      // A room is found through its own workspace only.
      let id = first.split(separator: "/").last ?? ""
      #expect(try await yard.a.code(.GET, "\(other)/dms/\(id)/chats") == "E13")
    }
  }
}
