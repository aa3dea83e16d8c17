import NIOPosix
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Synchronization
import Testing

@Suite("Calls on the event loop of a client", .timeLimit(.minutes(5)))
struct AtOnceTests {
  private static let allSockets = BroadcastTarget(namespace: "/now")

  /// A server without recovery, and one that numbers events for all clients.
  private static let configurations = [
    SocketIOServer.Configuration.changed { _ in }, .changed { $0.recovery = SocketIOServer.Recovery() },
  ]

  /// The text of an event without the number that recovery adds.
  private static func event(_ client: EngineClient) async throws -> [String] {
    let text = try #require(try await client.text())
    let values = try #require(JSONScanner.elements(ofArray: Array(text.utf8.drop { $0 != UInt8(ascii: "[") })))
    let json = Array(text.utf8.drop { $0 != UInt8(ascii: "[") })
    return values.prefix(2).map { String(decoding: json[$0], as: UTF8.self) }
  }

  @Test("rooms and isConnected show the effect of join, leave, leaveAll and disconnect in the same listener")
  func state() async throws {
    try await TestServer.with { (server) async throws in
      let seen = Mutex<[String]>([])
      var handlers = NamespaceHandlers()
      handlers.on("go") { socket, _ in
        func note() { seen.withLock { $0.append("\(socket.rooms.sorted()) \(socket.isConnected)") } }
        socket.join("a")
        socket.join("b")
        note()
        socket.leave("a")
        note()
        socket.join("c")
        socket.leaveAll()
        note()
        socket.disconnect()
        note()
        socket.join("d")
        note()
      }
      server.server.namespace("/now", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/now")
      try await client.send(#"42/now,["go"]"#)
      #expect(try await client.text() == "41/now,")
      #expect(
        seen.withLock { $0 } == [
          #"["a", "b"] true"#, #"["b"] true"#, "[] true", "[] false", "[] false",
        ])
    }
  }

  @Test("a client that joins a room and broadcasts to its rooms in one listener reaches the others there")
  func joinAndBroadcast() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.connected = { socket in
        socket.join("lobby")
        try? socket.broadcast("joined", 1, to: socket.rooms)
      }
      server.server.namespace("/now", configure: handlers)
      let first = try await EngineClient(server, .webSocket)
      try await first.join("/now")
      let second = try await EngineClient(server, .webSocket)
      try await second.join("/now")
      #expect(try await first.text() == #"42/now,["joined",1]"#)
    }
  }

  @Test(
    "emits, broadcasts, acknowledgements and changes of rooms take effect in the order of the calls",
    arguments: configurations)
  func order(_ configuration: SocketIOServer.Configuration) async throws {
    try await TestServer.with(configuration) { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("go") { [weak own = server.server] socket, event in
        var room = Self.allSockets
        room.rooms = ["room"]
        try? socket.emit("e", 1)
        try? own?.emit("e", 2, to: Self.allSockets)
        event.acknowledge?()
        socket.join("room")
        try? own?.emit("e", 3, to: room)
        socket.leave("room")
        try? own?.emit("e", 0, to: room)
        own?.join(["room"], for: Self.allSockets)
        try? own?.emit("e", 4, to: room)
        try? socket.emit("e", 5)
        socket.disconnect()
        try? own?.emit("e", 0, to: Self.allSockets)
      }
      server.server.namespace("/now", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/now")
      try await client.send(#"42/now,7["go"]"#)
      #expect(try await Self.event(client) == [#""e""#, "1"])
      #expect(try await Self.event(client) == [#""e""#, "2"])
      #expect(try await client.text() == "43/now,7[]")
      for number in 3...5 { #expect(try await Self.event(client) == [#""e""#, "\(number)"]) }
      #expect(try await client.text() == "41/now,")
    }
  }

  @Test("an event that a listener to outgoing events emits follows the event it sees, for all sockets")
  func outgoing() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.onAnyOutgoing { [weak own = server.server] _, event in
        if event.name == "first" { own?.emit("second", to: Self.allSockets) }
      }
      handlers.on("go") { [weak own = server.server] _, _ in own?.emit("first", to: Self.allSockets) }
      server.server.namespace("/now", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/now")
      try await client.send(#"42/now,["go"]"#)
      #expect(try await client.text() == #"42/now,["first"]"#)
      #expect(try await client.text() == #"42/now,["second"]"#)
    }
  }

  @Test(
    "a socket that disconnects in disconnecting, alone or with its session, is notified once", arguments: [false, true])
  func disconnectTwice(closingSession: Bool) async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.disconnecting = { socket, _ in
        server.journal.note("disconnecting \(socket.namespace)")
        socket.disconnect(closingSession: closingSession)
      }
      handlers.disconnected = { socket, _ in server.journal.note("disconnected \(socket.namespace)") }
      for name in ["/now", "/other"] { server.server.namespace(name, configure: handlers) }
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/now")
      try await client.join("/other")
      await client.abort()
      for name in ["/now", "/other"] {
        await server.journal.wait(for: "disconnecting \(name)")
        await server.journal.wait(for: "disconnected \(name)")
      }
      await server.turnOfAllLoops()
      let entries = await server.journal.entries
      #expect(entries.filter { !$0.contains(" /:") }.count == 4, "\(entries)")
    }
  }

  @Test("after a disconnect from another thread, the client receives nothing and is no longer found")
  func dismissed() async throws {
    try await TestServer.with { (server) async throws in
      let sockets = Mutex<[Socket]>([])
      var handlers = NamespaceHandlers()
      handlers.connected = { socket in sockets.withLock { $0.append(socket) } }
      server.server.namespace("/now", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/now")
      for round in 0..<20 {
        try #require(sockets.withLock { $0.last }).disconnect()
        server.server.emit("secret", to: Self.allSockets)
        #expect(await server.server.sockets(in: Self.allSockets).isEmpty)
        #expect(try await client.text() == "41/now,", "\(round)")
        try await client.join("/now")
      }
    }
  }

  @Test("two clients on two event loops receive the broadcasts of both loops' listeners in one order")
  func oneOrder() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("go") { [weak own = server.server] _, event in
        own?.emit("e", event.arguments, to: Self.allSockets)
      }
      server.server.namespace("/now", configure: handlers)
      // A session's id begins with the number of its loop.
      var clients: [Substring: EngineClient] = [:]
      for _ in 0..<100 where clients.count < 2 {
        // Client and server take loops in turn: skipping one now and then puts sessions on all of them.
        if Bool.random() { _ = MultiThreadedEventLoopGroup.singleton.next() }
        let client = try await EngineClient(server, .webSocket)
        clients[await client.sid.prefix(2)] = client
      }
      for client in clients.values { try await client.join("/now") }
      let (count, senders) = (200, clients.count)
      let texts = try await withThrowingTaskGroup(of: [String].self) { group in
        for (number, client) in clients.values.enumerated() {
          group.addTask {
            for index in 0..<count { try await client.send(#"42/now,["go","\#(number) \#(index)"]"#) }
            var texts: [String] = []
            for _ in 0..<(count * senders) { texts.append(try #require(try await client.text())) }
            return texts
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(texts).count == 1)
    }
  }
}
