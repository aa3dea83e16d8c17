import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOClient
import SocketIOProtocol
import Support
import Testing

/// Chats, direct messages and sockets as clients of edition 2024-01 use them (wire contract, Call sequences).
@Suite("Edition 2024-01: chats, direct messages and sockets", .timeLimit(.minutes(5)))
struct January2024RoomFlowsTests {
  /// The events of a socket in one namespace.
  struct Ear {
    private var updates: AsyncThrowingStream<SocketIOClient.Update, any Error>.Iterator

    /// Returns once the server let the socket in.
    init(_ client: SocketIOClient, _ namespace: String) async throws {
      updates = await client.updates(in: [namespace]).makeAsyncIterator()
      guard case .connected = try await updates.next(isolation: #isolation)?.kind else { throw NotHeard() }
    }

    /// Whether the next that happens is that the server sends the socket out of the namespace.
    mutating func isSentAway() async throws -> Bool {
      if case .disconnected = try await updates.next(isolation: #isolation)?.kind { true } else { false }
    }

    /// The next event's name and its only argument.
    mutating func next() async throws -> (event: String, json: [UInt8]) {
      guard case .event(let event) = try await updates.next(isolation: #isolation)?.kind,
        event.arguments.values.count == 1
      else {
        throw NotHeard()
      }
      return (event.name, event.arguments.values[0])
    }
  }

  struct NotHeard: Error {}

  @Test(
    "a chat reaches all sockets of its channel, the sender's too; events of clients are ignored",
    arguments: TestEngine.available)
  func chat(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let joon = try await world.signUp("Joon", through: .january2024)
      let path = try await mina.workspace()
      try await mina.invite(joon, to: path)
      let channel = try await mina.channel("잡담", in: path)
      let id = try #require(try await mina.get(channel)["channel_id"]?.id)
      try await world.notesAddresses(of: 2)
      try await SocketsTests.withSocket(world) { (first) async throws in
        try await SocketsTests.withSocket(world) { (second) async throws in
          // In parallel with the history that joins, twice.
          async let joined = Ear(second, "/ws-channel-\(id)")
          async let history = joon.get("\(channel)/chats")
          async let again = joon.get("\(channel)/chats?cursor_date=")
          #expect(try await [history, again] == [[], []])
          var ears = [try await Ear(first, "/ws-channel-\(id)"), try await joined]
          // Events of clients are ignored.
          for event in ["channel", "ping"] {
            try await first.emit(event, SocketArguments([Array(#"{"x":1}"#.utf8)]), in: "/ws-channel-\(id)")
          }
          let file = World.Part.file("files", Sample.jpeg, filename: "image", type: "image/jpg")
          let bodies: [(World.Body, String, Int)] = [
            (.multipart([.text("content", "안녕")]), "안녕", 0),
            (.multipart([.text("content", ""), file, file, file, file, file]), "", 5),
            (.multipart([.text("content", "x"), .text("files", "nil")]), "x", 0),
          ]
          for (body, content, files) in bodies {
            let reply = try await mina.call(.POST, "\(channel)/chats", body)
            let chat = try reply.json
            #expect(
              chat.keys == ["channel_id", "channelName", "chat_id", "content", "createdAt", "files", "user"])
            #expect(chat["content"] == .text(content) && chat["files"]?.list?.count == files)
            #expect(chat["user"] == mina.member && chat["channelName"] == "잡담")
            for index in ears.indices {
              let heard = try await ears[index].next()
              #expect(heard.event == "channel" && heard.json == reply.body)
            }
          }
        }
      }
      let now = WireDate.string(world.clock.now + 9 * 3_600_000 + 1000)
      #expect(try await joon.get("\(channel)/chats?cursor_date=\(now)") == [])
      #expect(try await mina.call(.POST, "\(channel)/chats", .multipart([.text("content", " ")])).code == "E11")
    }
  }

  @Test(
    "dates are digits of Seoul's clock labelled Z, and every form of a cursor names its chat",
    arguments: TestEngine.available)
  func cursors(_ engine: TestEngine) async throws {
    for zone in [nil, "UTC", "Asia/Kolkata"] as [String?] {
      var settings = World.settings
      settings.timeZones[.january2024] = zone
      let offset: Int64 = zone == nil ? 540 : zone == "UTC" ? 0 : 330
      try await World.run(engine, settings: settings) { (world) async throws in
        let mina = try await world.signUp("Mina", through: .january2024)
        let channel = try await mina.channel("잡담", in: try await mina.workspace())
        // Amid a second: at its begin, a cursor without milliseconds would name the chat itself.
        world.clock.advance(milliseconds: 1500 - world.clock.now % 1000)
        _ = try await mina.say("one", in: channel)
        let chat = try await mina.say("two", in: channel)
        let label = try #require(chat["createdAt"]?.string)
        #expect(label == WireDate.string(world.clock.now + 1, offset: offset * 60_000))
        let moment = try #require(try Cursor.label(label, zoneless: 0))
        let later = String(WireDate.string(moment + 9 * 3_600_000).dropLast())
        let spaced = later.replacing("T", with: " ")
        for cursor in [label, "\(later)%2B09:00", "\(later)+09:00", "\(later)%2B0900", later, spaced] {
          let query = cursor.replacing(" ", with: "%20")
          #expect(try await mina.get("\(channel)/chats?cursor_date=\(query)") == [], "\(cursor)")
          #expect(try await mina.get("\(channel)/unreads?after=\(query)")["count"] == 0, "\(cursor)")
        }
        // Without milliseconds the chats of that second may come again, and none is left out.
        let second = String(label.prefix(19)) + "Z"
        #expect(try await mina.get("\(channel)/chats?cursor_date=\(second)").list?.last == chat)
        #expect(try await mina.get("\(channel)/chats?cursor_date=\(label.prefix(19))").list?.last == chat)
        for cursor in ["", "%20", "1970-01-01T00:00:00Z"] {
          #expect(try await mina.get("\(channel)/chats?cursor_date=\(cursor)").list?.count == 2)
        }
        for cursor in ["nil", "2024-12-13", "1734073530"] {
          #expect(try await mina.call(.GET, "\(channel)/chats?cursor_date=\(cursor)").code == "E11")
        }
      }
    }
  }

  @Test(
    "the history of a direct message is asked for by person and makes the room; chats are posted by room",
    arguments: TestEngine.available)
  func directMessage(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.domain.historyPage.chats, 2)) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let joon = try await world.signUp("Joon", through: .january2024)
      let sora = try await world.signUp("Sora", through: .january2024)
      let path = try await mina.workspace()
      try await mina.invite(joon, to: path)
      // What cannot be read makes no room.
      #expect(try await mina.call(.GET, "\(path)/dms/\(joon.id)/chats?cursor_date=nil").code == "E11")
      #expect(try await mina.get("\(path)/dms") == [])
      let opened = try await withThrowingTaskGroup(of: JSON.self) { group in
        for (person, other) in Array(repeating: [(mina, joon), (joon, mina)], count: 5).joined() {
          group.addTask { try await person.get("\(path)/dms/\(other.id)/chats") }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(opened.allSatisfy { $0.keys == ["workspace_id", "room_id", "chats"] && $0["chats"] == [] })
      #expect(Set(opened.compactMap { $0["room_id"]?.int }).count == 1)
      let room = try #require(opened[0]["room_id"]?.id)
      #expect(try await mina.call(.GET, "\(path)/dms/\(mina.id)/chats").code == "E11")
      #expect(try await mina.call(.GET, "\(path)/dms/\(sora.id)/chats").code == "E13")
      #expect(try await sora.call(.GET, "\(path)/dms/\(mina.id)/chats").code == "E13")

      var chats: [JSON] = []
      try await world.notesAddresses(of: 3)
      try await SocketsTests.withSocket(world) { (client) async throws in
        var ear = try await Ear(client, "/ws-dm-\(room)")
        for text in ["hi", "you", "there", "again", "5"] {
          let reply = try await mina.call(.POST, "\(path)/dms/\(room)/chats", .multipart([.text("content", text)]))
          let heard = try await ear.next()
          #expect(heard.event == "dm" && heard.json == reply.body)
          chats.append(try reply.json)
        }
      }
      #expect(chats[0].keys == ["dm_id", "room_id", "content", "createdAt", "files", "user"])
      // Longer than a page, so it is streamed.
      let list = try await joon.get("\(path)/dms/\(mina.id)/chats")
      #expect(list.keys == ["workspace_id", "room_id", "chats"])
      #expect(list["room_id"] == opened[0]["room_id"] && list["chats"] == .list(chats))
      let last = try #require(chats[4]["createdAt"]?.string)
      #expect(try await joon.get("\(path)/dms/\(mina.id)/chats?cursor_date=\(last)")["chats"] == [])
      let detail = try await joon.get("users/\(mina.id)")
      #expect(detail.keys == ["user_id", "email", "nickname", "profileImage", "createdAt"])
      #expect(detail["createdAt"]?.string?.count == 24)
      #expect(try await sora.call(.GET, "users/\(mina.id)").code == "E03")
      // The room's id is no person's id and the other way round.
      #expect(try await joon.call(.POST, "\(path)/dms/999/chats", .json(["content": "x"])).code == "E13")
      #expect(try await sora.call(.POST, "\(path)/dms/\(room)/chats", .json(["content": "x"])).code == "E13")
      // The room outlives the membership of one of the two.
      _ = try await joon.get("\(path)/leave")
      #expect(try await mina.get("\(path)/dms/\(joon.id)/chats") == list)
      #expect(try await joon.code(.GET, "\(path)/dms/\(mina.id)/chats") == "E13")
    }
  }

  @Test(
    "one connection joins rooms in turn, and the handshake's headers are checked",
    arguments: TestEngine.available)
  func background(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let joon = try await world.signUp("Joon", through: .january2024)
      let path = try await mina.workspace()
      try await mina.invite(joon, to: path)
      let channel = try await mina.channel("잡담", in: path)
      let id = try #require(try await mina.get(channel)["channel_id"]?.id)
      let room = try await mina.directMessage(with: joon, in: path)
      let roomID = String(room.split(separator: "/").last ?? "")
      try await world.notesAddresses(of: 2)
      try await SocketsTests.withSocket(world) { (client) async throws in
        for _ in 0..<2 {
          // An ear that goes leaves its namespace; the connection stays.
          var first = try await Ear(client, "/ws-channel-\(id)")
          let chat = try await mina.call(.POST, "\(channel)/chats", .json(["content": "x"]))
          #expect(try await first.next().json == chat.body)
          var second = try await Ear(client, "/ws-dm-\(roomID)")
          let message = try await mina.call(.POST, "\(room)/chats", .json(["content": "x"]))
          #expect(try await second.next().json == message.body)
        }
        // A channel that is deleted takes its sockets with it.
        let other = try await mina.channel("other", in: path)
        let otherID = try #require(try await mina.get(other)["channel_id"]?.id)
        var third = try await Ear(client, "/ws-channel-\(otherID)")
        #expect(try await mina.call(.DELETE, other).status == 200)
        #expect(try await third.isSentAway())
        // Ids of the wrong form, of another kind, or of nothing.
        for name in [
          "/ws-channel-0", "/ws-channel--1", "/ws-channel-0\(id)", "/ws-channel-+\(id)", "/ws-channel-9999",
          "/ws-channel-99999999999999999999", "/ws-dm-\(id)", "/ws-channel-\(roomID)", "/ws-channel-",
        ] {
          #expect(try await SocketsTests.admission(client, name) == "not allowed", "\(name)")
        }
      }
      let headers = { (token: String) in
        [(HeaderName.apiKey, DevelopmentKey.january2024), (HeaderName.authorization, token)]
      }
      let name = "/ws-channel-\(id)"
      try await SocketsTests.withSocket(world, headers: headers(mina.token)) { (client) async throws in
        #expect(try await SocketsTests.admission(client, name) == "joined")
      }
      // A token of one edition is unknown in the other's namespaces, as is its key.
      let october = try await world.signIn(mina, through: .october2024)
      try await SocketsTests.withSocket(world, headers: headers(october.token)) { (client) async throws in
        #expect(try await SocketsTests.admission(client, name) == "E02")
      }
      let key = [(HeaderName.apiKey, DevelopmentKey.october2024), (HeaderName.authorization, mina.token)]
      try await SocketsTests.withSocket(world, headers: key) { (client) async throws in
        #expect(try await SocketsTests.admission(client, name) == "E01")
      }
      world.clock.advance(milliseconds: 24 * 3_600_000 + 1)
      try await SocketsTests.withSocket(world, headers: headers(mina.token)) { (client) async throws in
        #expect(try await SocketsTests.admission(client, name) == "E05")
      }
    }
  }

  @Test(
    "a socket keeps its address fresh, so that the client may connect again without a call",
    arguments: TestEngine.available)
  func freshAddress(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.sockets.hold, .seconds(30))) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let channel = try await mina.channel("잡담", in: try await mina.workspace())
      let name = "/ws-channel-\(try #require(try await mina.get(channel)["channel_id"]?.id))"
      let almostADay: Int64 = 23 * 3_600_000
      try await SocketsTests.withSocket(world) { (client) async throws in
        let ear = try await Ear(client, name)
        withExtendedLifetime(ear) { world.clock.advance(milliseconds: almostADay) }
      }
      #expect(try await World.eventually { !world.server.hasAdmittedSockets })
      world.clock.advance(milliseconds: almostADay)
      try await SocketsTests.withSocket(world) { (client) async throws in
        #expect(try await SocketsTests.admission(client, name) == "joined")
      }
    }
  }

  @Test(
    "a socket gets no old chats; the next cursor call has what it missed", arguments: TestEngine.available)
  func missed(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina", through: .january2024)
      let channel = try await mina.channel("잡담", in: try await mina.workspace())
      let id = try #require(try await mina.get(channel)["channel_id"]?.id)
      let held = try #require(try await mina.say("one", in: channel)["createdAt"]?.string)
      let missed = try await mina.say("two", in: channel)
      try await world.notesAddresses(of: 1)
      try await SocketsTests.withSocket(world) { (client) async throws in
        var ear = try await Ear(client, "/ws-channel-\(id)")
        let heard = try await mina.say("three", in: channel)
        #expect(try await JSON(ear.next().json) == heard)
        #expect(try await mina.get("\(channel)/chats?cursor_date=\(held)") == [missed, heard])
      }
    }
  }

  @Test("a push goes to the other people of a room, with strings for numbers", arguments: TestEngine.available)
  func push(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard(through: .january2024)
      let (a, b, w) = (yard.a, yard.b, yard.w)
      for (person, token) in [(a, "device-a"), (b, "device-b")] {
        let stored = try await person.call(.POST, "users/deviceToken", .json(["deviceToken": .text(token)]))
        #expect(stored.status == 200 && stored.body.isEmpty)
      }
      #expect(try await a.code(.POST, "users/deviceToken", .json(["deviceToken": nil])) == "E11")
      let channel = try await a.channel("잡담", in: w)
      _ = try await b.get("\(channel)/chats")
      let room = try await a.directMessage(with: b, in: w)
      let chat = try await a.say("hello", in: channel)
      // Each room is in order, rooms among themselves are not.
      _ = try await PushTests.pushes(world, 1)
      _ = try await a.say("hi", in: room)
      let pushes = try await PushTests.pushes(world, 2)
      let workspace = JSON.text(String(w.dropFirst("workspaces/".count)))
      #expect(pushes.map { $0["deviceToken"] } == ["device-b", "device-b"])
      #expect(
        pushes.map { $0["payload"] } == [
          [
            "aps": ["alert": ["title": "Weekend Builders", "body": "#잡담\nMina: hello"], "sound": "default"],
            "type": "channel", "workspace_id": workspace, "channel_id": .text(chat["channel_id"]?.id ?? ""),
          ],
          [
            "aps": ["alert": ["title": "Mina", "body": "hi"], "sound": "default"], "type": "dm",
            "workspace_id": workspace, "room_id": .text(String(room.split(separator: "/").last ?? "")),
            "opponent_id": .text(a.id),
          ],
        ])
    }
  }
}
