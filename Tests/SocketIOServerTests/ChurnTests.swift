import SocketIOServer
import Testing

@Suite("Clients that come and go", .timeLimit(.minutes(2)))
struct ChurnTests {
  @Test("three hundred clients that leave at any stage, politely or not, leave nothing behind")
  func nothingStays() async throws {
    try await TestServer.with(
      .changed {
        $0.pingInterval = .milliseconds(200)
        $0.pingTimeout = .milliseconds(200)
        $0.connectTimeout = .milliseconds(400)
        $0.upgradeTimeout = .milliseconds(200)
      }
    ) { server in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<300 {
          if number >= 24 { try await group.next() }
          group.addTask { try await Self.visit(server, number) }
        }
        try await group.waitForAll()
      }
      // What was left without a word goes with its time-outs.
      #expect(await server.settles(.init(sessions: 0, sockets: 0, namespaces: 0)))
    }
  }

  private static func visit(_ server: TestServer, _ number: Int) async throws {
    // The server may close at any of these steps: what matters is what is left of it.
    let carriers = Carrier.allCases
    guard let client = try? await EngineClient(server, carriers[number % carriers.count]) else { return }
    if number % 2 == 0 { _ = try? await client.join("/open-\(number % 5)") }
    if number % 4 == 0 { _ = try? await client.join("/") }
    switch number % 7 {
    case 0: try? await client.send("1")
    case 1: await client.abort()
    case 2: try? await client.send("41", "7")
    case 3: try? await client.send(#"42["bye-all"]"#)
    case 4:
      let wire = try await server.wire()
      try await wire.sendRequest("GET", "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)")
      wire.abort()
    case 5:
      if let half = try? await server.webSocket("EIO=4&transport=websocket&sid=\(await client.sid)") {
        try? await half.send("2probe")
        half.wire.abort()
      }
    default: break
    }
  }
}
