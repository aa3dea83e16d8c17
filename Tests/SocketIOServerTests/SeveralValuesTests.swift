import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Synchronization
import Testing

@Suite("Events between sockets", .timeLimit(.minutes(5)))
struct SeveralValuesTests {
  private struct User: Sendable {
    var name: String
  }

  private struct Credentials: Decodable {
    var token: String
  }

  @Test("the program in both languages in Coming from Node sends and answers what Node's does")
  func program() async throws {
    try await TestServer.with { (server) async throws in
      var chat = NamespaceHandlers()
      chat.use { request, data in
        let token = try? request.auth(as: Credentials.self).token
        guard let token, token != "bad" else { throw ConnectRefusal(message: "not authorized") }
        data[User.self] = User(name: token)
      }
      chat.on("say", as: String.self) { socket, text, acknowledge in
        try? socket.broadcast("said", socket[User.self]?.name, text, to: ["lobby"])
        acknowledge?()
      }
      chat.connected = { $0.join("lobby") }
      server.server.namespace("/program", configure: chat)
      let (speaker, listener) = (
        try await EngineClient(server, .webSocket), try await EngineClient(server, .webSocket)
      )
      let refusal = try await speaker.join("/program", auth: #"{"token":"bad"}"#)
      #expect(refusal == #"44/program,{"message":"not authorized"}"#)
      try await speaker.join("/program", auth: #"{"token":"tom"}"#)
      try await listener.join("/program", auth: #"{"token":"ann"}"#)
      try await speaker.send(#"42/program,7["say","hi"]"#)
      #expect(try await speaker.text() == "43/program,7[]")
      #expect(try await listener.text() == #"42/program,["said","tom","hi"]"#)
    }
  }

  @Test("a broadcast of a socket to no rooms reaches no socket, one without rooms all others")
  func noRooms() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("say", as: String.self) { socket, text, acknowledge in
        socket.broadcast("raw", to: socket.rooms)
        try? socket.broadcast("said", text, 2, to: socket.rooms)
        socket.broadcast("all")
        acknowledge?()
      }
      handlers.on("join", as: String.self) { socket, room, acknowledge in
        socket.join(room)
        acknowledge?()
      }
      server.server.namespace("/none", configure: handlers)
      let (speaker, listener) = (
        try await EngineClient(server, .webSocket), try await EngineClient(server, .webSocket)
      )
      for client in [speaker, listener] { try await client.join("/none") }
      func ask(_ client: EngineClient, _ event: String) async throws {
        try await client.send("42/none,1\(event)")
        #expect(try await client.text() == "43/none,1[]")
      }
      try await ask(speaker, #"["say","a"]"#)
      #expect(try await listener.text() == #"42/none,["all"]"#)
      for client in [speaker, listener] { try await ask(client, #"["join","r"]"#) }
      try await ask(speaker, #"["say","b"]"#)
      #expect(try await listener.text() == #"42/none,["raw"]"#)
      #expect(try await listener.text() == #"42/none,["said","b",2]"#)
      #expect(try await listener.text() == #"42/none,["all"]"#)
    }
  }

  @Test("several values make several arguments, in all calls and in answers")
  func values() async throws {
    let settings = SocketIOServer.Configuration.changed { [adapter = InMemoryAdapter()] in
      $0.adapter = adapter
      ($0.cluster.heartbeatTimeout, $0.cluster.requestTimeout) = (.seconds(60), .seconds(60))
    }
    let other = SocketIOServer(configuration: settings)
    other.onServerSide("e") { event in try? event.acknowledge?(event.arguments.values.count, "more") }
    try await TestServer.with(settings) { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("ask") { socket, event in try? event.acknowledge?(1, "two", [3]) }
      handlers.connected = { socket in
        socket.on(
          "own",
          perform: { socket, event in
            try event.acknowledge?(try await socket.emit("q", 1, "two", timeout: .seconds(60), answer: Int.self))
          })
      }
      server.server.namespace("/values", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/values")
      let target = BroadcastTarget(namespace: "/values")
      try server.server.emit("e", 1, "two", to: target)
      #expect(try await client.text() == #"42/values,["e",1,"two"]"#)
      try await client.send(#"42/values,5["ask"]"#)
      #expect(try await client.text() == #"43/values,5[1,"two",[3]]"#)
      async let answers = server.server.emit("q", true, 2, to: target, timeout: .seconds(60), answers: Int.self)
      let question = try #require(try await client.text())
      #expect(question.hasPrefix("42/values,") && question.hasSuffix(#"["q",true,2]"#))
      try await client.send("43/values,\(question.dropFirst(10).prefix { $0 != "[" })[9]")
      #expect(try await answers == [9])
      try await client.send(#"42/values,6["own"]"#)
      let own = try #require(try await client.text())
      #expect(own.hasSuffix(#"["q",1,"two"]"#))
      try await client.send("43/values,\(own.dropFirst(10).prefix { $0 != "[" })[4]")
      #expect(try await client.text() == "43/values,6[4]")
      #expect(try await server.server.serverSideEmit("e", 1, "two", timeout: .seconds(60), answers: Int.self) == [2])
    }
    await other.shutdown()
  }

  @Test("a local broadcast of a socket stays on its server")
  func localBroadcast() async throws {
    let settings = SocketIOServer.Configuration.changed { [adapter = InMemoryAdapter()] in $0.adapter = adapter }
    var handlers = NamespaceHandlers()
    handlers.on("tell") { socket, _ in
      try? socket.broadcast("told", "here", isLocal: true)
      try? socket.broadcast("told", "everywhere")
    }
    try await TestServer.with(settings) { [handlers] (here) async throws in
      try await TestServer.with(settings) { (there) async throws in
        for server in [here, there] { server.server.namespace("/local", configure: handlers) }
        let (speaker, neighbour) = (
          try await EngineClient(here, .webSocket), try await EngineClient(here, .webSocket)
        )
        let distant = try await EngineClient(there, .webSocket)
        for client in [speaker, neighbour, distant] { try await client.join("/local") }
        try await speaker.send(#"42/local,["tell"]"#)
        for place in ["here", "everywhere"] {
          #expect(try await neighbour.text() == #"42/local,["told","\#(place)"]"#)
        }
        #expect(try await distant.text() == #"42/local,["told","everywhere"]"#)
      }
    }
  }

  @Test("a socket asks all others in its room, and waits for their answers")
  func othersInRoom() async throws {
    try await TestServer.with { (server) async throws in
      let asking = Mutex<String?>(nil)
      let handlers = NamespaceHandlers(connected: { socket in
        socket.join("r")
        asking.withLock { $0 = $0 ?? socket.id }
      })
      server.server.namespace("/others", configure: handlers)
      let (first, second) = (try await EngineClient(server, .webSocket), try await EngineClient(server, .webSocket))
      for client in [first, second] { try await client.join("/others") }
      let id = try #require(asking.withLock { $0 })
      let target = BroadcastTarget(namespace: "/others", rooms: ["r"], except: [id])
      async let answers = server.server.emit("q", 1, to: target, timeout: .seconds(60), answers: Int.self)
      let question = try #require(try await second.text())
      try await second.send("43/others,\(question.dropFirst(10).prefix { $0 != "[" })[2]")
      #expect(try await answers == [2])
    }
  }

  @Test("an asynchronous listener that throws a cancellation of something else refuses its event")
  func innerCancellation() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("perform", perform: { _, _ in throw CancellationError() })
      handlers.on("answer", as: Int.self, answer: { _, _ -> Int in throw CancellationError() })
      handlers.refused = { _, event, error in try? event.acknowledge?("refused", error is CancellationError) }
      server.server.namespace("/inner", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/inner")
      for name in ["perform", "answer"] {
        try await client.send(#"42/inner,1["\#(name)",1]"#)
        #expect(try await client.text() == #"43/inner,1["refused",true]"#)
      }
    }
  }
}
