import Logging
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Running a server", .timeLimit(.minutes(5)))
struct RunTests {
  /// Runs a server until `body` is done, then cancels it.
  private static func run(_ server: SocketIOServer, _ body: (Int) async throws -> Void) async throws {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let running = Task { try await server.run(port: 0, stopsOnSignals: false) { continuation.yield($0) } }
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next(isolation: #isolation))
    try await body(port)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test("a server that was stopped, or shut down, runs again")
  func again() async throws {
    let server = SocketIOServer(logger: .silent)
    server.namespace("/", configure: NamespaceHandlers())
    for _ in 0..<2 {
      try await Self.run(server) { port in
        let client = try await EngineClient(port: port, .webSocket)
        #expect(try await client.join("/")?.hasPrefix("40{") == true)
        await client.abort()
        let polling = try await EngineClient(port: port, .polling)
        #expect(try await polling.join("/")?.hasPrefix("40{") == true)
      }
      #expect(server.stats.sessions == 0)
      await server.shutdown()
    }
  }

  @Test("a server that is cancelled logs no error, at any activity of its clients")
  func cancelled() async throws {
    let logs = LogRecorder()
    let server = SocketIOServer(configuration: .changed { _ in }, logger: logs.logger)
    server.namespace("/", configure: NamespaceHandlers())
    try await Self.run(server) { port in
      let (webSocket, polling) = (
        try await EngineClient(port: port, .webSocket), try await EngineClient(port: port, .polling)
      )
      for client in [webSocket, polling] { try await client.join("/") }
      // A connection that waits for its next request.
      let wire = try await Wire.connect(port)
      #expect(try await wire.request("GET", "/nothing").status == 404)
      #expect(server.stats.sockets == 2)
    }
    #expect(logs.lines.filter { !$0.contains("listening") && !$0.contains("started") } == [])
  }

  @Test("a server with an adapter, which leaves its cluster on shutdown, ends the process when it is run again")
  func cluster() async throws {
    await #expect(processExitsWith: .failure) {
      var configuration = SocketIOServer.Configuration()
      configuration.adapter = InMemoryAdapter()
      let server = SocketIOServer(configuration: configuration)
      await server.shutdown()
      try await server.run(port: 0, stopsOnSignals: false)
    }
  }
}
