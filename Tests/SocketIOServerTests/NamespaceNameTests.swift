import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Namespaces by name and by pattern", .timeLimit(.minutes(5)))
struct NamespaceNameTests {
  @Test("a name without its slash means the one with it, wherever the server accepts one")
  func slash() async throws {
    try await TestServer.with { (server) async throws in
      server.server.namespace("chat", configure: NamespaceHandlers(connected: { $0.join("room") }))
      let client = try await EngineClient(server, .webSocket)
      #expect(try await client.join("/chat")?.hasPrefix("40/chat,") == true)
      #expect(server.server.hasSockets(in: "chat"))
      server.server.emit("a", json: json("1"), to: "chat")
      #expect(try await client.text() == #"42/chat,["a",1]"#)
      server.server.emit("b", to: BroadcastTarget(namespace: "chat", rooms: ["room"]))
      #expect(try await client.text() == #"42/chat,["b"]"#)
      server.server.disconnectSockets(in: "chat")
      #expect(try await client.text() == "41/chat,")
    }
  }

  @Test("an event to all namespaces of a pattern reaches each of them, and no other")
  func children() async throws {
    try await TestServer.with { (server) async throws in
      let group = server.server.namespace(where: { $0.hasPrefix("/child-") }, configure: NamespaceHandlers())
      server.server.namespace("/child", configure: NamespaceHandlers())
      let clients = [
        try await EngineClient(server, .webSocket), try await EngineClient(server, .polling),
        try await EngineClient(server, .webSocket),
      ]
      let names = ["/child-1", "/child-2", "/child"]
      for (client, name) in zip(clients, names) { try await client.join(name) }
      try server.server.emit("news", 1, toAll: group)
      server.server.emit("more", toAll: group)
      for name in names { server.server.emit("last", to: BroadcastTarget(namespace: name)) }
      for (client, name) in zip(clients, names) {
        if name != "/child" {
          #expect(try await client.text() == #"42\#(name),["news",1]"#)
          #expect(try await client.text() == #"42\#(name),["more"]"#)
        }
        #expect(try await client.text() == #"42\#(name),["last"]"#)
      }
      #expect(throws: ReservedNameError.self) { try server.server.emit("connect", 1, toAll: group) }
    }
  }

  @Test("the sockets of a room are counted over all event loops")
  func count() async throws {
    try await TestServer.with { (server) async throws in
      server.server.namespace("/counted", configure: NamespaceHandlers(connected: { $0.join("room") }))
      var target = BroadcastTarget(namespace: "/counted", rooms: ["room"])
      #expect(await server.server.socketCount(in: target) == 0)
      for number in 1...5 {
        let client = try await EngineClient(server, .webSocket)
        try await client.join("/counted")
        #expect(await server.server.socketCount(in: target) == number)
      }
      target.rooms = ["other"]
      #expect(await server.server.socketCount(in: target) == 0)
    }
  }
}
