import SocketIOServer
import SocketIOSupport
import Testing

@Suite("A shutdown", .timeLimit(.minutes(5)))
struct ShutdownTests {
  @Test("a shutdown closes the sessions of all event loops at once, and waits for all clients together")
  func together() async throws {
    try await TestServer.with(.changed { $0.closeTimeout = .seconds(3600) }) { (server) async throws in
      // A session's id begins with the number of its loop.
      var clients: [Substring: EngineClient] = [:]
      for _ in 0..<100 where clients.count < 2 {
        let client = try await EngineClient(server, .webSocket)
        let loop = await client.sid.prefix(2)
        if clients[loop] == nil { clients[loop] = client } else { await client.abort() }
      }
      let ending = Task { await server.server.shutdown() }
      // No client answers before all were notified.
      for client in clients.values {
        let webSocket = try #require(await client.webSocket)
        var message = await webSocket.next()
        while case .text = message { message = await webSocket.next() }
        #expect(message == .close(1001))
      }
      for client in clients.values { try await client.webSocket?.sendFrame(0x88, [0x03, 0xe9]) }
      await ending.value
      #expect(server.server.stats.sessions == 0)
    }
  }
}
