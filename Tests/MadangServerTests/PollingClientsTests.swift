import MadangAPI
import NIOHTTP1
import Support
import Testing

/// How real clients behave on sockets, spoken by hand over long-polling.
@Suite("Polling clients", .timeLimit(.minutes(5)))
struct PollingClientsTests {
  /// A client of Engine.IO 4 that knows nothing but GET and POST.
  struct Poller {
    let world: World
    let path: String

    init(_ world: World, query: String = "") async throws {
      let open = try await world.call(.GET, "/socket.io/?EIO=4&transport=polling\(query)", key: nil)
      let text = String(decoding: open.body, as: UTF8.self)
      try #require(open.status == 200 && text.hasPrefix("0"), "\(text)")
      let handshake = try JSON(Array(text.utf8.dropFirst()))
      #expect(handshake["upgrades"] == ["websocket"])
      let sid = try #require(handshake["sid"]?.string)
      self.world = world
      path = "/socket.io/?EIO=4&transport=polling&sid=\(sid)"
    }

    /// The packets of the next answer.
    func poll() async throws -> [String] {
      let answer = try await world.call(.GET, path, key: nil)
      try #require(answer.status == 200, "the session has ended")
      return String(decoding: answer.body, as: UTF8.self).split(separator: "\u{1E}").map(String.init)
    }

    func send(_ packets: String...) async throws {
      let body = World.Body.raw(packets.joined(separator: "\u{1E}"), type: "text/plain;charset=UTF-8")
      let answer = try await world.call(.POST, path, key: nil, body)
      #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == "ok")
    }

    /// Packets, until one fits. Pings are answered and left out.
    func packets(through isLast: (String) -> Bool) async throws -> [String] {
      var all: [String] = []
      while !(all.last.map(isLast) ?? false) {
        let some = try await poll()
        if some.contains("2") { try await send("3") }
        all += some.filter { $0 != "2" }
      }
      return all
    }
  }

  @Test(
    "a polling client that joins a room twice gets each chat once",
    arguments: TestEngine.available)
  func polling(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let name = SocketsTests.namespace(channel)
      try await world.notesAddresses(of: 1)
      let client = try await Poller(world)
      try await client.send("40", "40\(name),")
      let joined = try await client.packets { $0.hasPrefix("40\(name),") }
      #expect(joined.contains { $0.hasPrefix("40{\"sid\":") })
      // Again, as a client does that adds a handler on each activation.
      try await client.send("40\(name),", "42\(name),[\"channel\",{\"odd\":1}]", "42[\"ping\"]")
      let first = try await a.call(.POST, "\(channel)/chats", .json(["content": "one"]))
      let second = try await a.call(.POST, "\(channel)/chats", .json(["content": "two"]))
      let frame = { (chat: World.Answer) in
        "42\(name),[\"channel\",\(String(decoding: chat.body, as: UTF8.self))]"
      }
      let heard = try await client.packets { $0 == frame(second) }.filter { $0.hasPrefix("42") }
      #expect(heard == [frame(first), frame(second)])
      try await client.send("41\(name),")
      try await client.send("40\(name),")
      let again = try await client.packets { $0.hasPrefix("40\(name),") }
      #expect(again.count == 1)
      // Nothing is replayed.
      let third = try await a.call(.POST, "\(channel)/chats", .json(["content": "three"]))
      #expect(try await client.packets { $0 == frame(third) } == [frame(third)])
    }
  }

  @Test("sockets are served at the root only, and a refused connect leaves the session and its rooms open")
  func refusals() async throws {
    try await World.run(.sqlite) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let name = SocketsTests.namespace(channel)
      #expect(try await a.code(.GET, "/v1/socket.io/?EIO=4&transport=polling") == "E97")
      try await world.notesAddresses(of: 1)
      let client = try await Poller(world, query: "&b64=1&x=y")
      let nowhere = "/ws-dm-00000000-0000-4000-8000-000000000000"
      try await client.send("40\(name),", "40\(nowhere),")
      let packets = try await client.packets { $0.hasPrefix("44") }
      #expect(packets.last == "44\(nowhere),{\"message\":\"not allowed\"}")
      #expect(packets.first?.hasPrefix("40\(name),") == true)
      let chat = try await a.call(.POST, "\(channel)/chats", .json(["content": "x"]))
      let frame = "42\(name),[\"channel\",\(String(decoding: chat.body, as: UTF8.self))]"
      #expect(try await client.packets { $0 == frame } == [frame])
    }
  }
}
