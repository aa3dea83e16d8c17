import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Support
import Testing

@Suite("Chats, unread counts and files", .timeLimit(.minutes(5)))
struct ChatsTests {
  @Test(
    "only reading a channel's history joins it, and only its members post",
    arguments: TestEngine.available)
  func joining(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      let workspace = try await mina.workspace()
      try await mina.invite(joon, to: workspace)
      let channel = try await mina.channel("ios", in: workspace)
      let chat = try await mina.say("hello", in: channel)
      #expect(
        chat.keys == ["channel_id", "channelName", "chat_id", "content", "createdAt", "files", "user"])
      #expect(chat["user"] == mina.member)
      #expect(chat["files"] == [])
      #expect(chat["channelName"] == "ios")

      for path in [channel, "\(channel)/members", "\(channel)/unreads"] { _ = try await joon.get(path) }
      #expect(try await joon.call(.POST, "\(channel)/chats", .json(["content": "hi"])).code == "E13")
      let refused = World.Body.multipart([.file("files", Sample.png)])
      #expect(try await joon.call(.POST, "\(channel)/chats", refused).code == "E13")
      #expect(try await world.hasNoFiles(in: "channelChats", "uploads"))
      // A future cursor answers nothing and joins all the same.
      #expect(try await joon.get("\(channel)/chats?cursor_date=2999-01-01T00:00:00.000Z") == [])
      #expect(try await joon.get("\(channel)/members") == [mina.member, joon.member])
      _ = try await joon.say("hi", in: channel)
      #expect(try await joon.get("\(channel)/chats?cursor_date").list?.count == 2)
      #expect(try await joon.call(.GET, "\(channel)/chats?cursor_date=nil").code == "E11")
    }
  }

  @Test(
    "a chat needs text or up to five files of accepted types; else nothing is stored",
    arguments: TestEngine.available)
  func posting(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      let workspace = try await mina.workspace()
      try await mina.invite(joon, to: workspace)
      for room in [
        try await mina.channel("ios", in: workspace), try await mina.directMessage(with: joon, in: workspace),
      ] {
        let post = { (body: World.Body) in try await mina.call(.POST, "\(room)/chats", body) }
        let file = { (name: String) in World.Part.file(name, Sample.png) }
        let six = (0..<6).map { file("file\($0)") }
        let large = World.Part.file("files", Sample.png + Array(repeating: 0, count: 10 * 1024 * 1024))
        let bad: [World.Body] = [
          .json(["content": ""]), .json(["content": " \n\t"]), .json([:]), .json(["content": 7]), .none,
          .multipart(six), .multipart([.text("content", "x"), .file("files", Sample.text)]), .multipart([large]),
          .multipart([.text("files", "nil")]), .json(["content": .text(String(repeating: "각", count: 10_001))]),
          .json(["content": "a\u{0}"]),
        ]
        for body in bad { #expect(try await post(body).code == "E11") }
        #expect(try await world.files(in: "uploads").isEmpty)
        let folder = room.contains("/dms/") ? "dmChats" : "channelChats"
        #expect(try await world.files(in: folder).isEmpty)
        #expect(try await mina.get("\(room)/chats") == [])

        let good: [(World.Body, String, Int)] = [
          (.json(["content": "hello", "files": []]), "hello", 0), (.form("content=a+b%21"), "a b!", 0),
          (
            .multipart([.text("content", ""), file("files"), file("files[]"), file("file0"), file("image"), file("x")]),
            "", 5
          ),
          (.multipart([.file("files", Sample.pdf), .text("files", "nil"), .file("files", Sample.zip)]), "", 2),
          (.json(["content": .text(String(repeating: "각", count: 10_000))]), String(repeating: "각", count: 10_000), 0),
        ]
        for (body, content, files) in good {
          let chat = try await post(body).json
          #expect(chat["content"] == .text(content))
          #expect(chat["files"]?.list?.count == files)
        }
        let history = try await joon.get("\(room)/chats")
        #expect(history.list?.count == good.count)
        #expect(history.list?.map { $0["files"]?.list?.count } == good.map(\.2))
        #expect(try await world.files(in: folder).count == 7)
      }
    }
  }

  @Test(
    "a cursor walk never skips or repeats a chat, and every form of a cursor names its chat",
    arguments: TestEngine.available)
  func cursors(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.domain.historyPage.chats, 7)) { world in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<50 { group.addTask { _ = try await mina.say("\(index)", in: channel) } }
        try await group.waitForAll()
      }
      // Longer than a page, so it is streamed; shorter ones are not.
      let all = try #require(try await mina.get("\(channel)/chats").list)
      let dates = all.compactMap { $0["createdAt"]?.string }
      #expect(Set(all.compactMap { $0["content"]?.string }).count == 50)
      #expect(dates.count == 50 && zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 })
      for index in [0, 20, 42, 43, 48] {
        let newer = try await mina.get("\(channel)/chats?cursor_date=\(dates[index])")
        #expect(newer.list == Array(all[(index + 1)...]))
      }
      let last = try #require(dates.last)
      let digits = String(last.dropLast())
      for form in [
        last, last.replacing(":", with: "%3A"), last.lowercased(), digits, digits.replacing("T", with: "%20"),
        digits.replacing("T", with: "+"), "\(digits)999Z", "\(digits)%2B00:00", "\(digits)%2B0000", "\(digits)%2B00",
        "\(digits)+00:00", "2999-01-01T00:00:00Z",
      ] {
        #expect(try await mina.get("\(channel)/chats?cursor_date=\(form)") == [], "\(form)")
      }
      for form in ["", "%20", "1970-01-01T00:00:00.000Z"] {
        #expect(try await mina.get("\(channel)/chats?cursor_date=\(form)").list?.count == 50)
      }
      for form in ["x", "2024-12-13", "1734073530", "2024-13-01T00:00:00Z", "2024-02-30T00:00:00Z", "\(last)x"] {
        #expect(try await mina.call(.GET, "\(channel)/chats?cursor_date=\(form)").code == "E11", "\(form)")
      }
    }
  }

  @Test(
    "the unread count is the number of chats by others after a date, in channels and direct messages",
    arguments: TestEngine.available)
  func unread(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      let workspace = try await mina.workspace()
      try await mina.invite(joon, to: workspace)
      let channel = try await mina.channel("ios", in: workspace)
      let room = try await mina.directMessage(with: joon, in: workspace)
      _ = try await joon.get("\(channel)/chats")
      for place in [channel, room] {
        var dates: [String] = []
        for author in [mina, joon, mina, mina, joon] {
          dates.append(try #require(try await author.say("x", in: place)["createdAt"]?.string))
        }
        let count = { (person: TestPerson, query: String) in try await person.get("\(place)/unreads\(query)")["count"] }
        for query in ["", "?", "?after", "?after=", "?after=%20", "?after=2999-01-01T00:00:00Z"] {
          #expect(try await count(joon, query) == 0, "\(query)")
        }
        #expect(try await count(joon, "?after=1970-01-01T00:00:00.000Z") == 3)
        #expect(try await count(mina, "?after=1970-01-01T00:00:00.000Z") == 2)
        #expect(try await count(joon, "?cursor_date=\(dates[0])") == 2)
        #expect(try await count(joon, "?after=\(dates[2])&cursor_date=\(dates[0])") == 1)
        #expect(try await count(mina, "?after=\(dates[4])") == 0)
        #expect(try await mina.call(.GET, "\(place)/unreads?after=nil").code == "E11")
      }
      let unread = try await joon.get("\(channel)/unreads")
      #expect(unread.keys == ["channel_id", "name", "count", "room_id"])
      #expect(unread["room_id"] == unread["channel_id"])
      #expect(try await joon.get("\(room)/unreads").keys == ["room_id", "count"])
    }
  }

  @Test(
    "a direct message is one room for two people, from either side, and closed to all others",
    arguments: TestEngine.available)
  func directMessages(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      let sora = try await world.signUp("Sora")
      let workspace = try await mina.workspace()
      try await mina.invite(joon, to: workspace)
      let open = { @Sendable (person: TestPerson, id: String) in
        try await person.call(.POST, "\(workspace)/dms", .json(["opponent_id": .text(id)]))
      }
      #expect(try await mina.get("\(workspace)/dms") == [])
      let rooms = try await withThrowingTaskGroup(of: JSON?.self) { group in
        for index in 0..<20 {
          group.addTask {
            let (person, other) = index.isMultiple(of: 2) ? (mina, joon) : (joon, mina)
            return try await open(person, other.id).json["room_id"]
          }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1?.string ?? "?") }
      }
      #expect(rooms.count == 1)
      let list = try await joon.get("\(workspace)/dms")
      #expect(list.list?.count == 1)
      #expect(list[0]?.keys == ["room_id", "createdAt", "user"])
      #expect(list[0]?["user"] == mina.member)
      #expect(try await open(mina, mina.id).code == "E11")
      #expect(try await mina.call(.POST, "\(workspace)/dms", .json([:])).code == "E11")
      #expect(try await open(mina, sora.id).code == "E13")
      #expect(try await open(mina, "x").code == "E13")
      #expect(try await open(sora, mina.id).code == "E13")
      let room = "\(workspace)/dms/\(rooms.first ?? "")"
      let chat = try await mina.say("hi", in: room)
      #expect(chat.keys == ["dm_id", "room_id", "content", "createdAt", "files", "user"])
      // A member who is no part of it is refused as a stranger is.
      try await mina.invite(sora, to: workspace)
      for call in ["chats", "unreads"] { #expect(try await sora.call(.GET, "\(room)/\(call)").code == "E13") }
      #expect(try await sora.call(.POST, "\(room)/chats", .json(["content": "x"])).code == "E13")
      // The room with the latest chat comes first.
      let second = try await mina.directMessage(with: sora, in: workspace)
      #expect(try await mina.get("\(workspace)/dms")[0]?["user"] == sora.member)
      _ = try await joon.say("again", in: room)
      #expect(try await mina.get("\(workspace)/dms")[0]?["user"] == joon.member)
      #expect(second != room)
    }
  }

  @Test(
    "only readers of a room download its files, with ETag and ranges, also by a refresh token",
    arguments: TestEngine.available)
  func files(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      let chat = try await mina.call(
        .POST, "\(channel)/chats", .multipart([.file("files", Sample.jpeg), .file("files", Sample.pdf)])
      ).json
      let picture = "/v1" + (try #require(chat["files"]?[0]?.string))
      let document = "/v1" + (try #require(chat["files"]?[1]?.string))
      let answer = try await mina.call(.GET, picture, headers: [("Accept", "application/json")])
      #expect(answer.body == Sample.jpeg)
      #expect(answer.headers["content-type"] == ["image/jpeg"])
      #expect(answer.headers["x-content-type-options"] == ["nosniff"])
      #expect(answer.headers["cache-control"] == ["private, max-age=31536000, immutable"])
      let tag = try #require(answer.headers["etag"].first)
      #expect(try await mina.call(.GET, picture, headers: [("If-None-Match", tag)]).status == 304)
      let part = try await mina.call(.GET, picture, headers: [("Range", "bytes=10-19")])
      #expect(part.status == 206 && part.body == Array(Sample.jpeg[10..<20]))
      #expect(part.headers["content-range"] == ["bytes 10-19/\(Sample.jpeg.count)"])
      #expect(try await mina.call(.GET, picture, headers: [("Range", "bytes=-4")]).body == Array(Sample.jpeg.suffix(4)))
      #expect(
        try await mina.call(.GET, document).headers["content-disposition"]
          == ["attachment; filename*=UTF-8''\(document.split(separator: "/").last ?? "")"])
      #expect(try await world.call(.GET, picture, token: mina.refreshToken).body == Sample.jpeg)
      #expect(try await world.call(.GET, picture).code == "E02")
      #expect(try await world.call(.GET, picture, token: mina.token, key: nil).code == "E01")
      #expect(try await joon.call(.GET, picture).code == "E13")
      for path in [
        "/v1/static/channelChats/nope.png", "/v1/static/secrets/x", "/v1/static/channelChats/..%2F..%2Fmadang.sqlite",
      ] {
        #expect(try await mina.call(.GET, path).code == "E13", "\(path)")
      }
      world.clock.advance(milliseconds: 24 * 3_600_000 + 1)
      #expect(try await mina.call(.GET, picture).code == "E05")
      #expect(try await world.call(.GET, picture, token: mina.refreshToken).status == 200)
    }
  }
}
