import NIOCore
import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Synchronization
import Testing

@Suite("Middleware, and handlers for leaving clients", .timeLimit(.minutes(5)))
struct MiddlewareTests {
  private static let patience = Duration.seconds(60)

  private struct Tags: Sendable, Equatable {
    var names: [String] = []
  }

  private struct Broken: Error {}

  /// A namespace with two steps of middleware and an admission, which add to the socket's data.
  private static func declare(on server: TestServer) {
    var handlers = NamespaceHandlers()
    handlers.use { request, data in
      let auth = try? request.auth(as: [String: String].self)
      if auth?["stop"] == "1" { throw ConnectRefusal(message: "first", data: json(#"{"code":1}"#)) }
      if auth?["stop"] == "broken" { throw Broken() }
      data[Tags.self] = Tags(names: ["first"])
    }
    handlers.use { request, data in
      await Task.yield()
      if (try? request.auth(as: [String: String].self))?["stop"] == "2" { throw ConnectRefusal(message: "second") }
      data[Tags.self]?.names.append("second")
    }
    handlers.admit = { request in
      let auth = try? request.auth(as: [String: String].self)
      return auth?["stop"] == "3" ? .refuse(message: "admit") : .accept(SocketData(TestUser(number: 1, name: "a")))
    }
    handlers.on("who") { socket, event in
      let names = socket[Tags.self]?.names ?? []
      try? event.acknowledge?(names + [socket[TestUser.self]?.name ?? "nobody"])
    }
    server.server.namespace("/steps", configure: handlers)
  }

  @Test("middleware of a namespace runs in order before admission, and the data of all steps is kept")
  func chain() async throws {
    try await TestServer.with { (server) async throws in
      Self.declare(on: server)
      try await server.withClient { (client) async throws in
        try await client.connect(to: "/steps")
        let who = try await client.emit("who", in: "/steps", acknowledgedWithin: Self.patience)
        #expect(who.values == [json(#"["first","second","a"]"#)])
      }
    }
  }

  @Test("middleware of a namespace may refuse at any step; the client receives no details of other errors")
  func refusals() async throws {
    try await TestServer.with { (server) async throws in
      Self.declare(on: server)
      let client = try await EngineClient(server, .webSocket)
      func answer(_ stop: String) async throws -> String? {
        try await client.join("/steps", auth: #"{"stop":"\#(stop)"}"#)
      }
      #expect(try await answer("1") == #"44/steps,{"message":"first","data":{"code":1}}"#)
      #expect(try await answer("2") == #"44/steps,{"message":"second"}"#)
      #expect(try await answer("3") == #"44/steps,{"message":"admit"}"#)
      #expect(try await answer("broken") == #"44/steps,{"message":"Internal error"}"#)
      #expect(try await answer("no")?.hasPrefix("40/steps,") == true)
    }
  }

  @Test("middleware of a socket sees every event first, in order, and may refuse it: then no listener receives it")
  func packets() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.onAny { _, event in server.journal.note("heard \(event.name)") }
      handlers.on("good") { _, event in event.acknowledge?() }
      handlers.refused = { _, event, error in
        try? event.acknowledge?("\((error as? ConnectRefusal)?.message ?? "?")")
      }
      handlers.connected = { socket in
        socket.use { _, event in if event.name == "bad" { throw ConnectRefusal(message: "not you") } }
        socket.use { _, event in if event.name == "worse" { throw ConnectRefusal(message: "nor you") } }
      }
      server.server.namespace("/packets", configure: handlers)
      try await server.withClient { (client) async throws in
        try await client.connect(to: "/packets")
        for (name, message) in [("bad", "not you"), ("worse", "nor you")] {
          let answer = try await client.emit(name, in: "/packets", acknowledgedWithin: Self.patience)
          #expect(answer.values == [json("\"\(message)\"")])
        }
        _ = try await client.emit("good", in: "/packets", acknowledgedWithin: Self.patience)
        await server.journal.wait(for: "heard good")
        #expect(await server.journal.entries.filter { $0.hasPrefix("heard") } == ["heard good"])
      }
    }
  }

  @Test(
    "middleware of a socket may be asynchronous: events keep their order, and none passes it, even if others are registered or removed"
  )
  func slowPackets() async throws {
    try await TestServer.with { (server) async throws in
      let (gate, heard) = (Journal(), Journal())
      var handlers = NamespaceHandlers()
      handlers.onAny { _, event in heard.note(event.name) }
      handlers.on("later", perform: { _, event in event.acknowledge?() })
      handlers.refused = { socket, event, _ in
        try? event.acknowledge?("refused")
      }
      handlers.connected = { socket in
        let removed = Mutex<Socket.Listener?>(nil)
        socket.use { _, event in if event.name == "bad" { throw Broken() } }
        let slow = socket.use(perform: { socket, event in
          if event.name == "wait" { await gate.wait(for: "open") }
          if event.name == "worse" { throw Broken() }
          if event.name == "remove" { removed.withLock { $0 }.map { socket.off($0) } }
        })
        removed.withLock { $0 = slow }
      }
      server.server.namespace("/slow", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/slow")
      try await client.send(#"42/slow,["wait"]"#, #"42/slow,1["bad"]"#, #"42/slow,2["worse"]"#, #"42/slow,["remove"]"#)
      try await client.send(#"42/slow,3["worse"]"#, #"42/slow,4["later"]"#)
      #expect(await heard.entries.isEmpty)
      await gate.add("open")
      #expect(try await client.text() == #"43/slow,1["refused"]"#)
      #expect(try await client.text() == #"43/slow,2["refused"]"#)
      #expect(try await client.text() == "43/slow,4[]")
      for name in ["wait", "remove", "worse", "later"] { await heard.wait(for: name) }
      #expect(await Set(heard.entries) == ["wait", "remove", "worse", "later"])
    }
  }

  @Test(
    "a client that leaves is reported before its socket leaves its rooms, and again afterwards",
    arguments: ["41/rooms,", "1"])
  func disconnecting(farewell: String) async throws {
    try await TestServer.with { (server) async throws in
      let seen = Journal()
      var handlers = NamespaceHandlers()
      handlers.on("join") { socket, event in
        for room in ["red", "blue"] { socket.join(room) }
        event.acknowledge?()
      }
      handlers.disconnecting = { socket, reason in seen.note("before: \(socket.rooms.sorted()) \(reason.rawValue)") }
      handlers.disconnected = { socket, reason in seen.note("after: \(socket.rooms.sorted()) \(reason.rawValue)") }
      handlers.connected = { socket in
        socket.onDisconnecting { socket, _ in seen.note("own before: \(socket.rooms.count) \(socket.isConnected)") }
        socket.onDisconnected { socket, _ in seen.note("own after: \(socket.rooms.count) \(socket.isConnected)") }
        socket.off(socket.onDisconnected { _, _ in seen.note("removed") })
      }
      server.server.namespace("/rooms", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/rooms")
      try await client.send(#"42/rooms,1["join"]"#)
      #expect(try await client.text() == "43/rooms,1[]")
      try await client.send(farewell)
      let reason = farewell == "1" ? "transport close" : "client namespace disconnect"
      await seen.wait(for: #"before: ["blue", "red"] \#(reason)"#)
      await seen.wait(for: "after: [] \(reason)")
      await seen.wait(for: "own before: 2 true")
      await seen.wait(for: "own after: 0 false")
      #expect(await !seen.entries.contains("removed"))
    }
  }
}
