import SocketIOProtocol
import SocketIOSupport
import Testing

@testable import SocketIOServer

@Suite("Room for events that wait for asynchronous handlers", .timeLimit(.minutes(5)))
struct EventRoomTests {
  private static let text = String(repeating: "x", count: 300)

  /// Two namespaces whose events wait for a gate: `/judged` for its middleware, `/heard` for two listeners.
  private static func with(_ limit: Int, _ body: (TestServer, EngineClient, Journal) async throws -> Void) async throws
  {
    try await TestServer.with(.changed { $0.maxWaitingEventBytes = limit }) { (server) async throws in
      let gate = Journal()
      var handlers = NamespaceHandlers()
      handlers.disconnected = { socket, reason in server.journal.note("left \(socket.namespace): \(reason.rawValue)") }
      handlers.on("e") { _, event in event.acknowledge?() }
      handlers.connected = { $0.use(perform: { _, _ in await gate.wait(for: "open") }) }
      server.server.namespace("/judged", configure: handlers)
      handlers.connected = { socket in
        socket.on("later", perform: { _, _ in await gate.wait(for: "open") })
        socket.on("later", perform: { _, event in event.acknowledge?() })
      }
      server.server.namespace("/heard", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/judged")
      try await client.join("/heard")
      try await body(server, client, gate)
      await gate.add("open")
    }
  }

  /// Waits until no event is pending: a handler ends shortly after it has answered.
  private static func settle(_ server: TestServer) async {
    var bytes = -1
    while !Task.isCancelled, bytes != 0 {
      bytes = 0
      for shard in server.server.core.shards {
        bytes += await withCheckedContinuation { continuation in
          shard.run { continuation.resume(returning: $0.sessions.values.reduce(0) { $0 + $1.eventRoom.bytes }) }
        }
      }
    }
  }

  @Test("all sockets of a session share one room, and a client that exceeds it is disconnected")
  func session() async throws {
    try await Self.with(1000) { (server, client, _) async throws in
      for namespace in ["/judged", "/heard"] {
        for _ in 0..<2 { try? await client.send(#"42\#(namespace),["later","\#(Self.text)"]"#) }
      }
      await server.journal.wait(for: "left /judged: forced close")
      await server.journal.wait(for: "left /heard: forced close")
    }
  }

  @Test("an event counts once for all its handlers, and no longer when they are done")
  func release() async throws {
    try await Self.with(1000) { (server, client, gate) async throws in
      for number in 1...2 { try await client.send(#"42/heard,\#(number)["later","\#(Self.text)"]"#) }
      try await client.send(#"42/judged,["e","short"]"#)
      await gate.add("open")
      for _ in 1...2 { _ = try await client.text() }
      await Self.settle(server)
      for number in 3...20 {
        try await client.send(#"42/judged,\#(number)["e","\#(Self.text)"]"#)
        #expect(try await client.text() == "43/judged,\(number)[]")
      }
      #expect(await !server.journal.entries.contains { $0.hasPrefix("left") })
    }
  }

  @Test("an event may exceed the room if no other is pending")
  func oversize() async throws {
    try await Self.with(100) { (server, client, gate) async throws in
      await gate.add("open")
      for number in 1...5 {
        for (namespace, name) in [("/judged", "e"), ("/heard", "later")] {
          try await client.send(#"42\#(namespace),\#(number)["\#(name)","\#(Self.text)"]"#)
          #expect(try await client.text() == "43\(namespace),\(number)[]")
          await Self.settle(server)
        }
      }
    }
  }

  @Test("sizes are counted: one that is too large does not count, and taken room is returned")
  func arithmetic() {
    var room = EventRoom()
    func take(_ sizes: Int...) -> [Bool] { sizes.map { room.take($0, limit: 100) } }
    #expect(take(60, 40, 1) == [true, true, false])
    room.give(100)
    #expect(take(500, 100, 1) == [true, true, false])
    room.give(600)
    #expect(take(60, 60) == [true, false] && room.bytes == 60)
    let event = Socket.Event(
      name: "e", arguments: SocketArguments([Array("12".utf8), Array("3".utf8)], attachments: [[1]]), acknowledge: nil)
    #expect(event.size == 1 + 2 + 1 + 1 + 3 * 64)
  }
}
