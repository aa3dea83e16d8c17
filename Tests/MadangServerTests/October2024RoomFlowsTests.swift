import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import SocketIOClient
import SocketIOProtocol
import Support
import Testing

/// Chats, direct messages and sockets as clients of edition 2024-10 use them (wire contract, Call sequences).
@Suite("Edition 2024-10: chats, direct messages and sockets", .timeLimit(.minutes(5)))
struct October2024RoomFlowsTests {
  static let everyForm: [@Sendable (String) -> String] = [
    { $0 }, { $0.replacing(":", with: "%3A") }, { $0.replacing("Z", with: "%2B00:00") },
    { $0.replacing("Z", with: "+00:00") }, { $0.replacing("Z", with: "%2B0000") }, { $0.replacing("Z", with: "") },
    { $0.replacing("T", with: "%20").replacing("Z", with: "") }, { $0.replacing("T", with: "+") }, { $0.lowercased() },
    { _ in "2999-01-01T00:00:00Z" },
  ]

  @Test("a socket may connect to a channel before the history call that joins it", arguments: TestEngine.available)
  func enter(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channel = try await a.channel("ios", in: w)
      let ts = try #require(try await a.say("one", in: channel)["createdAt"]?.string)
      try await world.notesAddresses(of: 3)
      try await SocketsTests.withSocket(world) { (client) async throws in
        // The socket first, of a channel that was not joined yet.
        var updates = try await SocketEndingsTests.join(client, channel, as: nil)
        #expect(try await b.get(channel)["channelMembers"] == [a.member])
        for member in [a, b] { #expect(try await b.get("users/\(member.id)?userID=\(member.id)") == member.member) }
        #expect(try await b.get("\(channel)/chats?cursor_date=").list?.count == 1)
        #expect(try await b.get(channel)["channelMembers"] == [a.member, b.member])
        _ = try await b.say("two", in: channel)
        #expect(try await SocketEndingsTests.next(&updates) == "channel")
      }
      #expect(try await b.get("\(channel)/chats?cursor_date=\(ts)").list?.map { $0["content"] } == ["two"])
      let newest = try #require(try await a.get("\(channel)/chats").list?.last?["createdAt"]?.string)
      for form in Self.everyForm {
        #expect(try await b.get("\(channel)/chats?cursor_date=\(form(newest))") == [], "\(form(newest))")
      }
    }
  }

  @Test(
    "each form of a chat reaches all sockets once, and parallel chats keep the order of their dates",
    arguments: TestEngine.available)
  func send(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channel = try await a.channel("ios", in: w)
      _ = try await b.get("\(channel)/chats")
      let picture = { (name: String) in World.Part.file(name, Sample.jpeg) }
      let bodies: [World.Body] = [
        .json(["content": "hello"]), .json(["content": "hello", "files": []]), .multipart([.text("content", "hello")]),
        .multipart([.text("content", "")] + (0..<5).map { _ in picture("files") }),
        .multipart([.text("content", "x", extra: "; filename=\"\""), picture("file0"), picture("file1")]),
        .multipart([picture("files")]),
      ]
      try await SocketsTests.withSocket(world) { first in
        try await SocketsTests.withSocket(world) { second in
          var streams = [
            try await SocketEndingsTests.join(first, channel, as: a),
            try await SocketEndingsTests.join(second, channel, as: b),
          ]
          var previous = "1970-01-01T00:00:00.000Z"
          for body in bodies {
            let reply = try await a.call(.POST, "\(channel)/chats", body)
            for index in streams.indices {
              guard case .event(let event) = try await streams[index].next()?.kind else { throw SocketsTests.Refused() }
              #expect(event.name == "channel" && event.arguments.values == [reply.body])
            }
            #expect(try await b.get("\(channel)/chats?cursor_date=\(previous)") == .list([try reply.json]))
            previous = try #require(try reply.json["createdAt"]?.string)
          }
        }
      }
      let count = try await world.files(in: "channelChats").count
      let refused: [World.Body] = [
        .json(["content": ""]), .multipart((0..<6).map { picture("file\($0)") }),
        .multipart([.text("content", "x"), .file("files", Sample.text)]),
      ]
      for body in refused { #expect(try await a.code(.POST, "\(channel)/chats", body) == "E11") }
      #expect(try await world.files(in: "channelChats").count == count)
      #expect(try await world.hasNoFiles(in: "uploads"))
      let chats = try #require(try await b.get("\(channel)/chats").list)
      #expect(chats.count == bodies.count)
      for case .text(let path) in chats.compactMap({ $0["files"]?.list }).joined() {
        #expect(try await b.call(.GET, "/v1\(path)").body == Sample.jpeg)
        #expect(try await world.call(.GET, "/v1\(path)").code == "E02")
        #expect(try await yard.c.code(.GET, "/v1\(path)") == "E13")
        #expect(try await world.call(.GET, "/v1\(path)", token: b.refreshToken).body == Sample.jpeg)
      }
    }
  }

  @Test("a direct message is one room for two people, closed to all others", arguments: TestEngine.available)
  func directMessage(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, c, w) = (yard.a, yard.b, yard.c, yard.w)
      #expect(try await a.get("\(w)/members").list?.count == 2)
      #expect(try await a.get("\(w)/dms") == [])
      let open = { (person: TestPerson, other: TestPerson) in
        try await person.call(.POST, "\(w)/dms", .json(["opponent_id": .text(other.id)]))
      }
      let opened = try await open(a, b).json
      #expect(opened["user"] == b.member)
      #expect(try await open(a, b).json == opened)
      #expect(try await b.get("\(w)/dms")[0]?["user"] == a.member)
      #expect(try await open(a, a).code == "E11")
      #expect(try await open(a, c).code == "E13")
      let room = "\(w)/dms/\(try #require(opened["room_id"]?.string))"
      #expect(try await a.get("\(room)/chats?cursor_date") == [])
      #expect(try await a.get("users/\(b.id)") == b.member)
      try await SocketsTests.withSocket(world) { first in
        try await SocketsTests.withSocket(world) { second in
          var mine = try await SocketEndingsTests.join(first, room, as: a)
          var theirs = try await SocketEndingsTests.join(second, room, as: b)
          _ = try await a.say("hi", in: room)
          #expect(try await SocketEndingsTests.next(&mine) == "dm")
          #expect(try await SocketEndingsTests.next(&theirs) == "dm")
        }
      }
      let since = "?after=1970-01-01T00:00:00.000Z"
      #expect(try await b.get("\(room)/unreads\(since)")["count"] == 1)
      #expect(try await a.get("\(room)/unreads\(since)")["count"] == 0)
      for query in ["", "?after="] { #expect(try await b.get("\(room)/unreads\(query)")["count"] == 0) }
      #expect(try await b.get("\(room)/chats?cursor_date=2024-01-01T00%3A00%3A00.000Z").list?.count == 1)
      try await a.invite(c, to: w)
      for path in ["chats", "unreads"] { #expect(try await c.code(.GET, "\(room)/\(path)") == "E13") }
      #expect(try await c.code(.POST, "\(room)/chats", .json(["content": "x"])) == "E13")
      try await SocketsTests.withSocket(world) { (client) async throws in
        let auth: JSON = ["token": .text(c.token)]
        #expect(try await SocketsTests.admission(client, SocketsTests.namespace(room), auth: auth) == "not allowed")
      }
    }
  }

  @Test(
    "after its return from the background a client joins again and fetches what it missed by cursor",
    arguments: TestEngine.available)
  func background(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channel = try await a.channel("ios", in: w)
      let other = try await a.channel("web", in: w)
      _ = try await b.get("\(channel)/chats")
      let ts = try #require(try await a.say("one", in: channel)["createdAt"]?.string)
      try await world.notesAddresses(of: 3)
      try await SocketsTests.withSocket(world) { (client) async throws in
        // Dropping the updates leaves the namespace; the engine stays and takes it in again.
        do { _ = try await SocketEndingsTests.join(client, channel, as: nil) }
        _ = try await b.say("missed", in: channel)
        var again = try await SocketEndingsTests.join(client, channel, as: nil)
        var second = try await SocketEndingsTests.join(client, other, as: nil)
        #expect(try await a.get("\(channel)/chats?cursor_date=\(ts)").list?.map { $0["content"] } == ["missed"])
        // Events of clients reach no other client: the next event of both is a chat.
        try await client.emit(
          "channel", SocketArguments([Array(#"{"x":1}"#.utf8)]), in: SocketsTests.namespace(channel))
        for room in [channel, other] { _ = try await a.say("now", in: room) }
        guard case .event(let event) = try await again.next()?.kind else { throw SocketsTests.Refused() }
        #expect(try JSON(event.arguments.values[0])["content"] == "now")
        #expect(try await SocketEndingsTests.next(&second) == "channel")
        #expect(try await SocketsTests.admission(client, "/") == "joined")
      }
      // Back after a while, without any call before: the socket kept its address fresh.
      try await SocketsTests.everybodyLeft(world)
      world.clock.advance(milliseconds: 30_000)
      try await SocketsTests.withSocket(world) { (client) async throws in
        #expect(try await SocketsTests.admission(client, SocketsTests.namespace(channel)) == "joined")
      }
    }
  }
}
