import NIOCore
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("The first events of a client, and volatile events", .timeLimit(.minutes(5)))
struct WelcomeTests {
  @Test(
    "a client first receives what connected emits and broadcasts, in the order of the calls",
    arguments: [Carrier.webSocket, .polling])
  func first(carrier: Carrier) async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.connected = { [weak own = server.server] socket in
        try? socket.emit("welcome", 1)
        own?.emit("broadcast", to: BroadcastTarget(namespace: "/welcome"))
        try? socket.emit("welcome", 2)
      }
      server.server.namespace("/welcome", configure: handlers)
      let client = try await EngineClient(server, carrier)
      #expect(try await client.join("/welcome")?.hasPrefix("40/welcome,") == true)
      #expect(try await client.text() == #"42/welcome,["welcome",1]"#)
      #expect(try await client.text() == #"42/welcome,["broadcast"]"#)
      #expect(try await client.text() == #"42/welcome,["welcome",2]"#)
      await client.abort()
    }
  }

  @Test("a volatile event is missed by a client that cannot take it at once, and reaches one that can")
  func volatile() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("now") { socket, _ in
        // The queue is empty only for the first one: no poll waits for the second.
        try? socket.emit("kept", 1)
        try? socket.emit("missed", 2, isVolatile: true)
        try? socket.broadcast("nobody", 3, isVolatile: true)
      }
      server.server.namespace("/volatile", configure: handlers)
      let polling = try await EngineClient(server, .polling)
      try await polling.join("/volatile")
      try await polling.send(#"42/volatile,["now"]"#, "3")
      #expect(try await polling.text() == #"42/volatile,["kept",1]"#)
      let webSocket = try await EngineClient(server, .webSocket)
      try await webSocket.join("/volatile")
      server.server.emit("e", to: BroadcastTarget(namespace: "/volatile", isVolatile: true))
      #expect(try await webSocket.text() == #"42/volatile,["e"]"#)
    }
  }

  @Test(
    "an event above the limit of waiting bytes reaches a client within that limit, also one emitted in connected",
    arguments: [Carrier.webSocket, .polling])
  func large(carrier: Carrier) async throws {
    try await TestServer.with(.changed { $0.maxOutboundBytesPerSocket = 10_000 }) { (server) async throws in
      let text = String(repeating: "x", count: 4_000_000)
      let large = json("\"\(text)\"")
      server.server.namespace(
        "/welcome", configure: NamespaceHandlers(connected: { $0.emit("large", SocketArguments([large])) }))
      let client = try await EngineClient(server, carrier)
      try await client.join("/")
      try await client.join("/welcome")
      #expect(try await client.text() == #"42/welcome,["large","\#(text)"]"#)
      server.server.emit("small", json: json("0"), to: "/")
      server.server.emit("large", json: large, to: "/")
      #expect(try await client.text() == #"42["small",0]"#)
      #expect(try await client.text() == #"42["large","\#(text)"]"#)
      for _ in 0..<2 {
        server.server.emit("large", json: json("\"\(text)\""), to: "/")
        // Later events may wait as usual.
        server.server.emit("small", json: json("1"), to: "/")
        #expect(try await client.text() == #"42["large","\#(text)"]"#)
        #expect(try await client.text() == #"42["small",1]"#)
      }
      await client.abort()
    }
  }

  @Test("beside an event above the limit, the usual limit applies to all others")
  func largeAndMore() async throws {
    try await TestServer.with(.changed { $0.maxOutboundBytesPerSocket = 10_000 }) { (server) async throws in
      let handlers = NamespaceHandlers(
        connected: { socket in server.journal.note("joined") },
        disconnected: { _, reason in server.journal.note("ended: \(reason.rawValue)") })
      server.server.namespace("/bench", configure: handlers)
      let (_, webSocket) = try await FanoutClient.connect(server.port, receiveBuffer: 4096)
      await server.journal.wait(for: "joined")
      try await webSocket.setOption(.autoRead, value: false).get()
      let polling = try await EngineClient(server, .polling)
      try await polling.join("/bench")
      // More than the kernel accepts.
      let large = json("\"\(String(repeating: "x", count: 16_000_000))\"")
      server.server.emit("large", json: large, to: "/bench")
      #expect(await server.server.sockets(in: BroadcastTarget(namespace: "/bench")).count == 2)
      server.server.emit("large", json: large, to: "/bench")
      await server.journal.wait(for: "ended: transport error")
      await server.journal.wait(for: "ended: transport close")
      #expect(await server.settles(sessions: 0))
      webSocket.close(promise: nil)
    }
  }

  @Test("an event above the limit for large events closes its client", arguments: [Carrier.webSocket, .polling])
  func tooLarge(carrier: Carrier) async throws {
    let configuration = SocketIOServer.Configuration.changed {
      ($0.maxOutboundBytesPerSocket, $0.maxLargeEventBytes) = (10_000, 1_000_000)
    }
    try await TestServer.with(configuration) { (server) async throws in
      let client = try await EngineClient(server, carrier)
      try await client.join("/")
      server.server.emit("large", json: json("\"\(String(repeating: "x", count: 16_000_000))\""), to: "/")
      #expect(await server.settles(sessions: 0))
      await client.abort()
    }
  }

  @Test("a client that does not receive a large event is closed: in time, and at once for a second one")
  func unread() async throws {
    for isAsking in [false, true] {
      let configuration = SocketIOServer.Configuration.changed {
        $0.maxOutboundBytesPerSocket = 10_000
        // The shorter times are long enough for a slow client to join before its session ends.
        ($0.pingInterval, $0.pingTimeout) =
          isAsking ? (.seconds(600), .seconds(600)) : (.seconds(5), .seconds(5))
      }
      try await TestServer.with(configuration) { (server) async throws in
        server.server.namespace(
          "/bench",
          configure: NamespaceHandlers(connected: { _ in server.journal.note("joined") }))
        let (_, webSocket) = try await FanoutClient.connect(server.port, receiveBuffer: 4096)
        await server.journal.wait(for: "joined")
        try await webSocket.setOption(.autoRead, value: false).get()
        server.server.emit("large", json: json("\"\(String(repeating: "x", count: 16_000_000))\""), to: "/bench")
        if isAsking {
          // Pings of a client, with a mask of zeros; each is answered.
          let ping: [UInt8] = [0x89, 0x80 | 125, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 125)
          let pings = ByteBuffer(bytes: (0..<1000).flatMap { _ in ping })
          // More than the kernel accepts of the event.
          for _ in 0..<200 { try? await webSocket.writeAndFlush(pings) }
        }
        #expect(await server.settles(sessions: 0))
        webSocket.close(promise: nil)
      }
    }
  }
}
