import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@testable import MadangWeb

@Suite("Chats in browsers", .timeLimit(.minutes(5)))
struct ChatCallsTests {
  @Test("a post with the same key is posted once, also while the first is under way", arguments: TestEngine.available)
  func once(_ engine: TestEngine) async throws {
    try await Browser.run(engine) { (world) async throws in
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let w = try await mina.workspace()
      try await mina.invite(joon, to: w)
      let channel = try await mina.channel("ios", in: w)
      let browser = Browser(world)
      _ = try await browser.signIn(mina.email)
      let (cookie, proof) = (browser.cookieField, browser.proof)
      @Sendable func post(_ text: String, _ key: String) async throws -> World.Answer {
        try await world.call(
          .POST, "/web/v1/\(channel)/chats", key: nil,
          headers: [("Cookie", cookie), ("X-Madang-Proof", proof), ("X-Madang-Once", key)],
          .json(["content": .text(text)]))
      }
      let answers = try await withThrowingTaskGroup(of: World.Answer.self) { group in
        for _ in 1...8 { group.addTask { try await post("하나", "a1") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.allSatisfy { $0.status == 200 } && Set(answers.map(\.body)).count == 1)
      #expect(try await post("하나", "a1").body == answers[0].body)
      // A key belongs to its chat.
      #expect(try await post("다섯", "a1").code == "E11")
      let elsewhere = try await world.call(
        .POST, "/web/v1/\(try await mina.channel("web", in: w))/chats", key: nil,
        headers: [("Cookie", cookie), ("X-Madang-Proof", proof), ("X-Madang-Once", "a1")],
        .json(["content": .text("하나")]))
      #expect(elsewhere.code == "E11")
      // A refusal frees the key.
      #expect(try await post("", "a2").code == "E11")
      #expect(try await post("둘", "a2").status == 200)
      #expect(try await post("셋", String(repeating: "k", count: 65)).code == "E11")
      // The key is the account's own.
      let other = Browser(world)
      _ = try await other.signIn(joon.email)
      try #require(try await other.call(.GET, "v1/\(channel)/chats").status == 200)
      let theirs = try await other.call(
        .POST, "v1/\(channel)/chats", headers: [("X-Madang-Once", "a1")], .json(["content": "넷"]))
      #expect(theirs.status == 200)
      let history = try await mina.get("\(channel)/chats").list ?? []
      #expect(history.compactMap { $0["content"]?.string } == ["하나", "둘", "넷"])
      #expect(try answers[0].json == history[0])
    }
  }

  @Test("a post that is received slowly takes its key at the end: the same post again does not wait for it")
  func slowly() async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      let browser = Browser(world)
      _ = try await browser.signIn(mina.email)
      let wire = try await Wire.connect(try #require(URL(string: world.url)?.port))
      let body = #"{"content":"하나"}"#
      let head = """
        POST /web/v1/\(channel)/chats HTTP/1.1\r\nHost: x\r\nCookie: \(browser.cookieField)\r\nX-Madang-Proof: \(browser.proof)\r
        X-Madang-Once: a\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n
        """
      try await wire.send(Array(head.utf8) + body.utf8.prefix(5))
      let whole = try await browser.call(
        .POST, "v1/\(channel)/chats", headers: [("X-Madang-Once", "a")], .json(["content": "하나"]))
      #expect(whole.status == 200)
      try await wire.send(Array(body.utf8.dropFirst(5)))
      let late = String(decoding: await wire.readToEnd(), as: UTF8.self)
      #expect(late.hasSuffix(String(decoding: whole.body, as: UTF8.self)))
      #expect(try await mina.get("\(channel)/chats").list?.count == 1)
    }
  }

  @Test("a limited number of requests wait for the first one of their key")
  func waiting() async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      let ids = channel.split(separator: "/").map(String.init)
      let madang = world.server.madang
      let person = try #require(try await madang.people(named: mina.email).first)
      let draft = ChatDraft(content: "하나")
      let chat = try await madang.post(
        draft, to: RoomAddress(.channel, .uuid(ids[3]), in: .uuid(ids[1])), as: .acting(person))
      let (posts, key, mark) = (OncePosts(), AccountKey(account: 1, text: "a"), OncePosts.mark([], draft))
      let (gate, opener) = AsyncStream<Void>.makeStream()
      let (begun, beginning) = AsyncStream<Void>.makeStream()
      let first = Task {
        try await posts.once(key, mark) {
          beginning.finish()
          for await _ in gate {}
          return chat
        }
      }
      for await _ in begun {}
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0...OncePosts.maxWaiting {
          group.addTask {
            do {
              return try await posts.once(key, mark) { chat }.id == chat.id
            } catch is Refusal {
              opener.finish()
              return false
            }
          }
        }
        let answered = try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        #expect(answered == OncePosts.maxWaiting)
      }
      #expect(try await first.value.id == chat.id)
    }
  }

  @Test("all unread counts in one answer are those of the edition", arguments: TestEngine.available)
  func unreads(_ engine: TestEngine) async throws {
    try await Browser.run(engine, clock: Clock()) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, c, w) = (yard.a, yard.b, yard.c, yard.w)
      try await a.invite(c, to: w)
      let (first, second) = (try await a.channel("ios", in: w), try await a.channel("web", in: w))
      let direct = try await a.directMessage(with: b, in: w)
      let hidden = try await b.directMessage(with: c, in: w)
      _ = try await b.get("\(first)/chats")
      let opening = try await a.say("하나", in: first)
      for text in ["둘", "셋"] { _ = try await b.say(text, in: first) }
      _ = try await a.say("넷", in: direct)
      _ = try await b.say("다섯", in: direct)
      _ = try await b.say("여섯", in: hidden)
      let date = try #require(opening["createdAt"]?.string)
      let browser = Browser(world)
      _ = try await browser.signIn(a.email)
      func id(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
      var rooms: [String: JSON] = [:]
      for path in [first, second, direct, hidden] { rooms[id(path)] = .text(date) }
      rooms["00000000-0000-4000-8000-000000000000"] = .text(date)
      let body: JSON = ["workspace": .text(id(w)), "rooms": .object(rooms)]
      let counts = try await browser.call(.POST, "unreads", .json(body)).json["counts"]
      for path in [first, second, direct] {
        let own = try await a.get("\(path)/unreads?after=\(percentEncoded(date))")["count"]
        #expect(counts?[id(path)] == own, "\(path)")
      }
      #expect(counts?.keys?.count == 3, "rooms of others are left out")
      #expect(counts?[id(first)] == 2)
      #expect(
        try await browser.call(.POST, "unreads", .json(["workspace": .text(id(w)), "rooms": [:]])).json == [
          "counts": [:]
        ])
      let noa = try await world.signUp("Noa")
      let other = Browser(world)
      _ = try await other.signIn(noa.email)
      #expect(try await other.call(.POST, "unreads", .json(body)).code == "E13")
      for (workspace, rooms) in [
        (JSON.null, JSON.object(rooms)), (.text(id(w)), "x"), (.text(id(w)), [id(first): "yesterday"]),
        (.text(id(w)), [id(first): 7]),
        (.text(id(w)), .object(Dictionary(uniqueKeysWithValues: (0...500).map { ("r\($0)", .text(date)) }))),
      ] as [(JSON, JSON)] {
        #expect(
          try await browser.call(.POST, "unreads", .json(["workspace": workspace, "rooms": rooms])).code == "E11")
      }
      #expect(try await browser.call(.POST, "unreads", .raw("{", type: nil)).code == "E11")
    }
  }

  @Test("a page reads parts of a history: before a date, and a number of chats", arguments: TestEngine.available)
  func parts(_ engine: TestEngine) async throws {
    var settings = World.settings
    settings.domain.historyPage.chats = 3
    try await Browser.run(engine, settings: settings, clock: Clock()) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      var dates: [String] = []
      for number in 1...8 {
        dates.append(percentEncoded(try await mina.say("\(number)", in: channel)["createdAt"]?.string ?? ""))
      }
      let browser = Browser(world)
      _ = try await browser.signIn(mina.email)
      func read(_ query: String) async throws -> [String]? {
        try await browser.call(.GET, "v1/\(channel)/chats?\(query)").json.list?.compactMap { $0["content"]?.string }
      }
      #expect(try await read("") == (1...8).map { "\($0)" })
      #expect(try await read("limit=4") == ["1", "2", "3", "4"])
      #expect(try await read("limit=3") == ["1", "2", "3"])
      #expect(try await read("cursor_date=\(dates[1])&limit=2") == ["3", "4"])
      #expect(try await read("cursor_date=\(dates[1])&before=\(dates[6])") == ["3", "4", "5", "6"])
      #expect(try await read("before=\(dates[0])") == [])
      #expect(try await read("limit=100&before=\(dates[7])")?.count == 7)
      #expect(try await browser.call(.GET, "v1/\(channel)/chats?limit=0").code == "E11")
      #expect(try await browser.call(.GET, "v1/\(channel)/chats?before=then").code == "E11")
      // The wire has no such parts.
      #expect(try await mina.get("\(channel)/chats?limit=4&before=\(dates[1])").list?.count == 8)
    }
  }

  @Test("files go up, and come back to an image's tag, without proof", arguments: TestEngine.available)
  func files(_ engine: TestEngine) async throws {
    try await Browser.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      let browser = Browser(world)
      _ = try await browser.signIn(mina.email)
      let posted = try await browser.call(
        .POST, "v1/\(channel)/chats",
        .multipart([.text("content", "그림"), .file("files", Sample.png, filename: "a.png")]))
      let path = try #require(try posted.json["files"]?.list?.first?.string)
      browser.proof = ""
      let file = try await browser.call(.GET, "v1" + path, headers: [("Sec-Fetch-Site", "same-origin")])
      #expect(file.status == 200 && file.body == Sample.png)
      for path in [path, "/users/me", "/nothing"] {
        let answer = try await browser.call(.GET, "v1" + path)
        #expect(answer.headers["Cross-Origin-Resource-Policy"] == ["same-origin"], "\(path)")
      }
      #expect(try await browser.call(.HEAD, "v1" + path).status == 200)
      #expect(try await browser.call(.GET, "v1" + path, headers: [("Sec-Fetch-Site", "cross-site")]).code == "E02")
      #expect(try await Browser(world).call(.GET, "v1" + path).code == "E02")
    }
  }

  @Test("a fault of development mode for an operation and an account hits the account's browser, once")
  func faults() async throws {
    try await Browser.run(.sqlite) { (world) async throws in
      let (mina, joon) = (try await world.signUp("Mina"), try await world.signUp("Joon"))
      let (browser, other) = (Browser(world), Browser(world))
      _ = try await browser.signIn(mina.email)
      _ = try await other.signIn(joon.email)
      let fault: JSON = [
        "match": ["operation": "me", "account": .text(mina.email), "times": 1],
        "effect": ["kind": "status", "status": 503],
      ]
      try #require(try await world.call(.POST, "/_dev/faults", key: nil, .json(fault)).status == 200)
      #expect(try await other.call(.GET, "v1/users/me").status == 200)
      #expect(try await browser.call(.GET, "v1/workspaces").status == 200)
      #expect(try await browser.call(.GET, "v1/users/me").status == 503)
      #expect(try await browser.call(.GET, "v1/users/me").status == 200)
    }
  }
}
