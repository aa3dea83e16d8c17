import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("The node in the ids of sessions", .timeLimit(.minutes(5)))
struct NodeTests {
  private static func configuration(_ node: String?) -> SocketIOServer.Configuration {
    .changed { $0.node = node }
  }

  @Test(
    "ids begin with the node and a dot in every transport; sessions work as without it", arguments: Carrier.allCases)
  func works(carrier: Carrier) async throws {
    try await TestServer.with(Self.configuration("node-1")) { (server) async throws in
      let client = try await EngineClient(server, carrier)
      let sid = await client.sid
      #expect(sid.hasPrefix("node-1."))
      #expect(sid.utf8.count == "node-1.".utf8.count + 20)
      try await client.join("/")
      try await client.send(#"420["echo",1]"#)
      #expect(try await client.text() == "430[1]")
      await client.abort()
    }
  }

  @Test("ids have no node by default; if there is one, a socket id of an Engine.IO 3 client has it too")
  func forms() async throws {
    try await TestServer.with { (server) async throws in
      let client = try await EngineClient(server, .polling)
      #expect(await client.sid.utf8.count == 20)
    }
    try await TestServer.with(Self.configuration("7")) { (server) async throws in
      let wire = try await server.wire()
      defer { wire.abort() }
      _ = try await wire.request("GET", "/socket.io/?EIO=3&transport=polling")
      let ids = await server.server.sockets(in: .init(namespace: "/")).map(\.id)
      #expect(ids.count == 1 && ids[0].hasPrefix("7."))
    }
  }

  @Test("an id with another server's node is unknown, over polling and for an upgrade")
  func foreign() async throws {
    try await TestServer.with(Self.configuration("a")) { (server) async throws in
      let client = try await EngineClient(server, .polling)
      let secret = await client.sid.dropFirst(2)
      for sid in ["b.\(secret)", "\(secret)", "ab.\(secret)", "a..\(secret)", "a.", ".", "A.\(secret)"] {
        for transport in ["polling", "websocket"] {
          let wire = try await server.wire()
          defer { wire.abort() }
          let answer = try await wire.request(
            "GET", "/socket.io/?EIO=4&transport=\(transport)&sid=\(sid)",
            headers: transport == "websocket" ? RawWebSocket.handshakeFields : [])
          #expect(answer.status == 400)
          #expect(answer.text.contains("Session ID unknown"))
        }
      }
      #expect(server.server.stats.sessions == 1)
    }
  }
}
