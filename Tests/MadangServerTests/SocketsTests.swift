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

@Suite("Live rooms", .timeLimit(.minutes(5)))
struct SocketsTests {
  /// Connects and runs `body` with the client; its connection ends with the body.
  static func withSocket(
    _ world: World, headers: [(String, String)] = [], query: [(String, String)] = [],
    _ body: (SocketIOClient) async throws -> Void
  ) async throws {
    var configuration = SocketIOClient.Configuration()
    configuration.headers = headers
    configuration.query = query
    let client = try SocketIOClient(url: world.url, configuration: configuration)
    let running = Task { await client.run() }
    let result: Result<Void, any Error>
    do { result = .success(try await body(client)) } catch { result = .failure(error) }
    await client.close()
    await running.value
    try result.get()
  }

  /// Returns once the server has seen every admitted client leave.
  static func everybodyLeft(_ world: World) async throws {
    while world.server.hasAdmittedSockets { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// Joins a namespace and answers its first update: joined, or the refusal's message.
  static func admission(_ client: SocketIOClient, _ namespace: String, auth: JSON? = nil) async throws -> String {
    let auth = try auth.map { [UInt8](try JSONEncoder().encode($0)) } ?? []
    for try await update in await client.updates(in: [namespace], auth: auth) {
      switch update.kind {
      case .connected: return "joined"
      case .refused(let refusal): return refusal.message
      case .event, .disconnected, .waiting: continue
      }
    }
    return "ended"
  }

  static func namespace(_ room: String) -> String {
    let id = room.split(separator: "/").last ?? ""
    return RoomNamespace(room.contains("/dms/") ? .dm : .channel, String(id)).name
  }

  @Test(
    "a chat reaches every socket of its room once, the sender's too, and equals the POST reply",
    arguments: TestEngine.available)
  func delivery(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      let workspace = try await mina.workspace()
      try await mina.invite(joon, to: workspace)
      let rooms = [
        try await mina.channel("ios", in: workspace), try await mina.directMessage(with: joon, in: workspace),
      ]
      _ = try await joon.get("\(rooms[0])/chats")
      try await world.notesAddresses(of: 2)
      for room in rooms {
        let event = room.contains("/dms/") ? ChatEvent.dm : .channel
        try await Self.withSocket(world) { first in
          try await Self.withSocket(world) { second in
            let name = Self.namespace(room)
            var streams = [
              await first.updates(in: [name]).makeAsyncIterator(), await second.updates(in: [name]).makeAsyncIterator(),
            ]
            for index in streams.indices {
              guard case .connected = try await streams[index].next()?.kind else { throw Refused() }
            }
            // Events of clients are ignored.
            try await first.emit(event.rawValue, SocketArguments([Array(#"{"x":1}"#.utf8)]), in: name)
            for sender in [mina, joon, mina] {
              let files = World.Body.multipart([.text("content", "\"hi\"\n각😀"), .file("files", Sample.png)])
              let reply = try await sender.call(.POST, "\(room)/chats", files)
              for index in streams.indices {
                guard case .event(let received) = try await streams[index].next()?.kind else { throw Refused() }
                #expect(received.name == event.rawValue)
                #expect(received.arguments.values.count == 1)
                #expect(received.arguments.values.first == reply.body)
              }
              // Committed before it was sent: the history has it.
              #expect(try await joon.get("\(room)/chats").list?.last == reply.json)
            }
          }
        }
      }
    }
  }

  struct Refused: Error {}

  @Test("a channel's chats also arrive in the namespace with the dm prefix, as the event `channel`")
  func alias() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      let id = String(channel.split(separator: "/").last ?? "")
      try await world.notesAddresses(of: 1)
      try await Self.withSocket(world) { (client) async throws in
        var updates = await client.updates(in: [RoomNamespace(.dm, id).name]).makeAsyncIterator()
        guard case .connected = try await updates.next()?.kind else { throw Refused() }
        let chat = try await mina.call(.POST, "\(channel)/chats", .json(["content": "x"]))
        guard case .event(let event) = try await updates.next()?.kind else { throw Refused() }
        #expect(event.name == "channel" && event.arguments.values == [chat.body])
      }
    }
  }

  @Test(
    "with socket.access recent, an account seen at the address joins rooms it may read",
    arguments: TestEngine.available)
  func recent(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      let sora = try await world.signUp("Sora")
      let workspace = try await mina.workspace()
      let channel = try await mina.channel("ios", in: workspace)
      let name = Self.namespace(channel)
      try await world.notesAddresses(of: 3)
      try await Self.withSocket(world) { (client) async throws in
        #expect(try await Self.admission(client, "/") == "joined")
        #expect(try await Self.admission(client, name) == "joined")
        #expect(try await Self.admission(client, "/ws-channel-00000000-0000-4000-8000-000000000000") == "not allowed")
        #expect(try await Self.admission(client, "/ws-dm-00000000-0000-4000-8000-000000000000") == "not allowed")
        #expect(try await Self.admission(client, "/ws-channel-17") == "not allowed")
        #expect(try await Self.admission(client, "/elsewhere") == "Invalid namespace")
        // A token that is shown is always checked, here through the payload.
        #expect(try await Self.admission(client, name, auth: ["token": .text(mina.token)]) == "joined")
        #expect(try await Self.admission(client, name, auth: ["token": "stale"]) == "E02")
        #expect(try await Self.admission(client, name, auth: ["token": .text(joon.token)]) == "not allowed")
        #expect(
          try await Self.admission(client, name, auth: ["SesacKey": "bad", "token": .text(mina.token)]) == "E01")
      }
      // A direct message of two others is closed even to an address both were seen at with another account's token.
      try await mina.invite(joon, to: workspace)
      try await mina.invite(sora, to: workspace)
      let room = Self.namespace(try await mina.directMessage(with: joon, in: workspace))
      try await Self.withSocket(world, query: [("Authorization", sora.token)]) { (client) async throws in
        #expect(try await Self.admission(client, room) == "not allowed")
        #expect(try await Self.admission(client, name) == "joined")
      }
      try await Self.everybodyLeft(world)
      world.clock.advance(milliseconds: 24 * 3_600_000 + 1)
      try await Self.withSocket(world) { (client) async throws in
        // The sockets that left a moment ago kept the address fresh only until they left.
        world.clock.advance(milliseconds: 24 * 3_600_000 + 1)
        #expect(try await Self.admission(client, name) == "not allowed")
        #expect(try await Self.admission(client, name, auth: ["token": .text(mina.token)]) == "E05")
      }
    }
  }

  @Test(
    "a connect is held until the call that makes its client a member, then accepted",
    arguments: TestEngine.available)
  func held(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.sockets.hold, .seconds(20))) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let joon = try await world.signUp("Joon")
      let workspace = try await mina.workspace()
      let channel = try await mina.channel("ios", in: workspace)
      try await Self.withSocket(world) { (client) async throws in
        async let admission = Self.admission(client, Self.namespace(channel), auth: ["token": .text(joon.token)])
        try await mina.invite(joon, to: workspace)
        #expect(try await admission == "joined")
      }
    }
  }

  @Test("with socket.access token, key and token are needed, from headers, query or payload")
  func token() async throws {
    try await World.run(.sqlite, settings: World.settings(\.sockets.access, .token)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let name = Self.namespace(try await mina.channel("ios", in: try await mina.workspace()))
      let credentials = [(HeaderName.apiKey, DevelopmentKey.october2024), (HeaderName.authorization, mina.token)]
      try await Self.withSocket(world, headers: credentials) { (client) async throws in
        #expect(try await Self.admission(client, name) == "joined")
      }
      try await Self.withSocket(world, query: credentials) { (client) async throws in
        #expect(try await Self.admission(client, name) == "joined")
      }
      try await Self.withSocket(world) { (client) async throws in
        #expect(try await Self.admission(client, name) == "E01")
        let key = JSON.text(DevelopmentKey.october2024)
        #expect(try await Self.admission(client, name, auth: ["SesacKey": key]) == "E02")
        #expect(
          try await Self.admission(client, name, auth: ["SesacKey": key, "token": .text(mina.token)]) == "joined")
      }
    }
  }

  @Test("with socket.access open, every existing room is open")
  func open() async throws {
    try await World.run(.sqlite, settings: World.settings(\.sockets.access, .open)) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let name = Self.namespace(try await mina.channel("ios", in: try await mina.workspace()))
      try await Self.withSocket(world) { (client) async throws in
        #expect(try await Self.admission(client, name, auth: ["token": "stale"]) == "joined")
        #expect(try await Self.admission(client, "/ws-channel-00000000-0000-4000-8000-000000000000") == "not allowed")
      }
    }
  }
}
