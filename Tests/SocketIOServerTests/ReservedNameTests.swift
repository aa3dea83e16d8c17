import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Reserved names of events", .timeLimit(.minutes(5)))
struct ReservedNameTests {
  private static let target = BroadcastTarget(namespace: "/names")

  /// Joins a namespace whose listener `emit` sends an event with a name that the client gives.
  private func withClient(
    _ log: LogRecorder, _ emit: @escaping @Sendable (SocketIOServer, Socket, String) async throws -> Void,
    _ body: (SocketIOClient) async throws -> Void
  ) async throws {
    try await TestServer.with(logger: log.logger) { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on(
        "emit",
        perform: { [server = server.server] socket, event in
          do {
            try await emit(server, socket, try event.decode(String.self))
            try event.acknowledge?("sent")
          } catch let error as ReservedNameError {
            try event.acknowledge?(error.name)
          }
        })
      server.server.namespace("/names", configure: handlers)
      try await server.withClient { (client) async throws in
        try await client.connect(to: "/names")
        try await body(client)
      }
    }
  }

  private func answer(_ client: SocketIOClient, _ name: String) async throws -> String {
    try await client.emit("emit", name, in: "/names", acknowledgedWithin: .seconds(60), as: String.self)
  }

  private static let throwing: [@Sendable (SocketIOServer, Socket, String) async throws -> Void] = [
    { _, socket, name in try socket.emit(name, 1) },
    { _, socket, name in _ = try await socket.emit(name, timeout: .seconds(60)) },
    { _, socket, name in _ = try await socket.emit(name, 1, timeout: .seconds(60), answer: Int.self) },
    { _, socket, name in try socket.broadcast(name, 1) },
    { server, _, name in try server.emit(name, 1, to: target) },
    { server, _, name in _ = try await server.emit(name, to: target, timeout: .seconds(60)) },
    { server, _, name in _ = try await server.emit(name, 1, to: target, timeout: .seconds(60), answers: Int.self) },
  ]

  @Test("a throwing emit refuses reserved names", arguments: throwing.indices)
  func refused(index: Int) async throws {
    let log = LogRecorder()
    try await withClient(log, Self.throwing[index]) { (client) async throws in
      for name in SocketEvent.reservedNames { #expect(try await answer(client, name) == name) }
    }
    #expect(log.lines.isEmpty)
  }

  private static let silent: [@Sendable (SocketIOServer, Socket, String) async throws -> Void] = [
    { _, socket, name in socket.emit(name, SocketArguments()) },
    { server, socket, name in
      socket.broadcast(name, SocketArguments())
      server.emit("others", to: target)
    },
    { server, _, name in server.emit(name, json: json("1"), to: "/names") },
    { server, _, name in server.emit(name, to: target) },
  ]

  @Test("a non-throwing emit does not send reserved names, and logs that", arguments: silent.indices)
  func logged(index: Int) async throws {
    let log = LogRecorder()
    try await withClient(log, Self.silent[index]) { (client) async throws in
      var heard = await client.allEvents(in: "/names").makeAsyncIterator()
      for name in ["connect", "disconnect"] { #expect(try await answer(client, name) == "sent") }
      #expect(try await answer(client, "connected") == "sent")
      let first = try #require(try await heard.next(isolation: #isolation))
      #expect(!SocketEvent.reservedNames.contains(first.name))
    }
    #expect(log.lines.count == 2)
    for name in ["connect", "disconnect"] {
      #expect(log.lines.contains("An event was not sent: the name \(name) is reserved"))
    }
  }
}
