import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Application code that runs when data of sockets changes or is released", .timeLimit(.minutes(5)))
struct SocketDataLockTests {
  /// Calls the server when it is released.
  private final class Caller: Sendable {
    private let call: @Sendable () -> Void

    init(_ call: @escaping @Sendable () -> Void) { self.call = call }

    deinit { call() }
  }

  private struct Seat: Equatable {
    var row: Int
  }

  private static func lookAt(_ socket: Socket) {
    _ = (socket.isConnected, socket.rooms, socket.currentTransport, socket.data)
    socket.emit("looked")
    socket.broadcast("looked")
    socket.join("seen")
    socket.off(socket.on("never") { _, _ in })
  }

  private static func configuration(maxSessions: Int = 10) -> SocketIOServer.Configuration {
    .changed { configuration in
      configuration.recovery = SocketIOServer.Recovery()
      configuration.recovery?.offsets = .always
      configuration.recovery?.maxSessions = maxSessions
    }
  }

  @Test("a closure that changes the data reads and calls its socket; its change counts when it is over")
  func closures() async throws {
    try await TestServer.with(Self.configuration()) { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("change") { socket, event in
        let seen = socket.withData { data -> Seat? in
          data[Seat.self] = Seat(row: 1)
          Self.lookAt(socket)
          return socket[Seat.self]
        }
        #expect(seen == nil && socket[Seat.self] == Seat(row: 1))
        #expect(throws: Wire.Closed.self) {
          try socket.withData { data in
            data[Seat.self]?.row = 2
            throw Wire.Closed()
          }
        }
        #expect(socket[Seat.self] == Seat(row: 2))
        event.acknowledge?()
      }
      server.server.namespace("/closures", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/closures")
      try await client.send(#"42/closures,1["change"]"#)
      while try #require(await client.text()) != "43/closures,1[]" {}
    }
  }

  @Test("a value that is replaced or removed calls its socket when it is released")
  func removal() async throws {
    try await TestServer.with(Self.configuration()) { (server) async throws in
      let handlers = NamespaceHandlers(connected: { socket in
        let caller: @Sendable (String) -> Caller = { [weak socket] name in
          Caller { [weak socket] in
            socket.map(Self.lookAt)
            server.journal.note(name)
          }
        }
        socket[Caller.self] = caller("replaced")
        socket[Caller.self] = caller("removed")
        socket[Caller.self] = nil
        socket[Caller.self] = caller("removed in a closure")
        socket.withData { $0[Caller.self] = nil }
        socket.off(socket.on("never") { [kept = caller("forgotten")] _, _ in _ = kept })
      })
      server.server.namespace("/removal", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/removal")
      for entry in ["replaced", "removed", "removed in a closure", "forgotten"] {
        await server.journal.wait(for: entry)
      }
    }
  }

  @Test("values of clients that do not return call the server when they are released, by replacement or by removal")
  func forgotten() async throws {
    try await TestServer.with(Self.configuration(maxSessions: 1)) { (server) async throws in
      let handlers = NamespaceHandlers(
        connected: { [weak own = server.server] socket in
          socket[Caller.self] = Caller { [weak own] in
            _ = own?.hasSockets(in: "/nobody")
            own?.emit("ended", to: BroadcastTarget(namespace: "/forgotten"))
            server.journal.note("ended")
          }
        },
        disconnected: { _, _ in server.journal.note("lost") })
      server.server.namespace("/forgotten", configure: handlers)
      for number in 1...3 {
        let client = try await EngineClient(server, .webSocket)
        try await client.join("/forgotten")
        await client.abort()
        await server.journal.wait(for: "lost", times: number)
        await server.journal.wait(for: "ended", times: number - 1)
      }
      server.server.disconnectSockets(in: BroadcastTarget(namespace: "/forgotten"))
      await server.journal.wait(for: "ended", times: 3)
    }
  }
}
