import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import SocketIOClient
import SocketIOProtocol
import Storage
import Support
import Testing

@Suite("Ends of socket access", .timeLimit(.minutes(5)))
struct SocketEndingsTests {
  typealias Updates = AsyncThrowingStream<SocketIOClient.Update, any Error>.Iterator

  /// Joins a room with a person's token.
  static func join(_ client: SocketIOClient, _ room: String, as person: TestPerson?) async throws -> Updates {
    let auth: [UInt8] = person.map { Array(#"{"token":"\#($0.token)"}"#.utf8) } ?? []
    var updates = await client.updates(in: [SocketsTests.namespace(room)], auth: auth).makeAsyncIterator()
    guard case .connected = try await updates.next()?.kind else { throw SocketsTests.Refused() }
    return updates
  }

  /// What comes next, in a word.
  static func next(_ updates: inout Updates) async throws -> String {
    switch try await updates.next(isolation: #isolation)?.kind {
    case .event(let event): event.name
    case .disconnected(.serverNamespaceDisconnect): "41"
    case let other: "\(String(describing: other))"
    }
  }

  @Test(
    "leaving a workspace ends its sockets; leaving a channel keeps them",
    arguments: TestEngine.available)
  func leaving(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channel = try await a.channel("ios", in: w)
      let room = try await a.directMessage(with: b, in: w)
      _ = try await b.get("\(channel)/chats")
      try await SocketsTests.withSocket(world) { mine in
        try await SocketsTests.withSocket(world) { theirs in
          var first = try await Self.join(mine, channel, as: a)
          var second = try await Self.join(theirs, channel, as: b)
          var direct = try await Self.join(theirs, room, as: b)
          // Every channel is open to its workspace.
          _ = try await b.get("\(channel)/exit")
          _ = try await a.say("one", in: channel)
          #expect(try await Self.next(&first) == "channel")
          #expect(try await Self.next(&second) == "channel")
          _ = try await b.get("\(w)/exit")
          _ = try await a.say("two", in: channel)
          _ = try await a.say("three", in: room)
          #expect(try await Self.next(&first) == "channel")
          #expect(try await Self.next(&second) == "41")
          #expect(try await Self.next(&direct) == "41")
        }
      }
    }
  }

  @Test("deleting a channel or workspace ends its sockets, after the last chats", arguments: TestEngine.available)
  func deleting(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channel = try await a.channel("ios", in: w)
      let other = try await a.channel("web", in: w)
      let room = try await a.directMessage(with: b, in: w)
      try await world.notesAddresses(of: 3)
      try await SocketsTests.withSocket(world) { client in
        var first = try await Self.join(client, channel, as: b)
        let alias = RoomNamespace(.dm, String(channel.split(separator: "/").last ?? "")).name
        var aliased = await client.updates(in: [alias]).makeAsyncIterator()
        guard case .connected = try await aliased.next()?.kind else { throw SocketsTests.Refused() }
        var second = try await Self.join(client, other, as: nil)
        var direct = try await Self.join(client, room, as: a)
        _ = try await a.say("last words", in: channel)
        #expect(try await a.success(.DELETE, channel) == [:])
        #expect(try await Self.next(&first) == "channel")
        #expect(try await Self.next(&first) == "41")
        #expect(try await Self.next(&aliased) == "channel")
        #expect(try await Self.next(&aliased) == "41")
        _ = try await a.say("still open", in: other)
        #expect(try await Self.next(&second) == "channel")
        #expect(try await a.success(.DELETE, w) == [:])
        #expect(try await Self.next(&second) == "41")
        #expect(try await Self.next(&direct) == "41")
        #expect(try await SocketsTests.admission(client, SocketsTests.namespace(other)) == "not allowed")
        #expect(try await SocketsTests.admission(client, "/") == "joined")
      }
    }
  }

  @Test(
    "sockets of a deleted channel get its last chats first, also those without a notice",
    arguments: TestEngine.available, [true, false])
  func untoldBeforeDeletion(_ engine: TestEngine, ofWorkspace: Bool) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let channel = try await a.channel("ios", in: w)
      try await SocketsTests.withSocket(world) { client in
        var updates = try await Self.join(client, channel, as: a)
        _ = try await a.say("told", in: channel)
        try await DeliveryTests.write("untold", by: a, behind: world)
        #expect(try await a.success(.DELETE, ofWorkspace ? w : channel) == [:])
        for word in ["channel", "channel", "41"] { try #require(try await Self.next(&updates) == word) }
      }
    }
  }

  @Test("signing out ends the sockets admitted by its session, and no others")
  func signingOut() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let login = try await world.call(
        .POST, "users/login", .json(["email": .text(a.email), "password": .text(World.password)])
      ).json
      let again = try #require(login["token"]?["accessToken"]?.string)
      try await world.notesAddresses(of: 1)
      try await SocketsTests.withSocket(world) { first in
        try await SocketsTests.withSocket(world) { second in
          var shown = try await Self.join(first, channel, as: a)
          var seen = try await Self.join(second, channel, as: nil)
          #expect(try await a.call(.GET, "users/logout").status == 200)
          let chat = try await world.call(.POST, "\(channel)/chats", token: again, .json(["content": "x"]))
          #expect(chat.status == 200)
          #expect(try await Self.next(&shown) == "41")
          #expect(try await Self.next(&seen) == "channel")
        }
      }
    }
  }

  @Test(
    "a late notice of an ended membership removes only sockets without access",
    arguments: TestEngine.available)
  func late(_ engine: TestEngine) async throws {
    try await World.pair(engine) { (here, elsewhere) async throws in
      let yard = try await here.courtyard()
      let (a, b, c, w) = (yard.a, yard.b, yard.c, yard.w)
      try await a.invite(c, to: w)
      let channel = try await a.channel("ios", in: w)
      try await SocketsTests.withSocket(here) { theirs in
        try await SocketsTests.withSocket(here) { others in
          var stays = try await Self.join(theirs, channel, as: b)
          var leaves = try await Self.join(others, channel, as: c)
          // As if b had left and returned, and only the leaving was announced.
          let madang = here.server.madang
          _ = try await madang.database.write { transaction in
            try transaction.execute(
              """
              INSERT INTO changes (kind, workspace_id, user_id, created_at)
              SELECT 'membershipEnded', m.workspace_id, m.user_id, \(here.clock.now) FROM workspace_members m
              JOIN users u ON u.id = m.user_id WHERE u.email = \(b.email)
              """)
          }
          // Changes are received in order.
          _ = try await c.at(elsewhere).get("\(w)/exit")
          #expect(try await Self.next(&leaves) == "41")
          _ = try await a.say("one", in: channel)
          #expect(try await Self.next(&stays) == "channel")
        }
      }
    }
  }
}
