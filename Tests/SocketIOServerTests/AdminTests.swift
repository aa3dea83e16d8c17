import NIOCore
import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("The admin namespace", .timeLimit(.minutes(5)))
struct AdminTests {
  private struct ListedSocket: Decodable {
    struct Handshake: Decodable {
      let headers: [String: String]
      let query: [String: String]
    }

    let id: String
    let clientId: String
    let transport: String
    let nsp: String
    let rooms: [String]
    let handshake: Handshake
  }

  private struct Config: Decodable { let supportedFeatures: [String] }

  private struct Stats: Decodable {
    struct Namespace: Decodable {
      let name: String
      let socketsCount: Int
    }

    let serverId: String
    let clientsCount: Int
    let pollingClientsCount: Int
    let namespaces: [Namespace]
  }

  private static let good = json(#"{"username":"root","password":"secret"}"#)

  private static func settings(_ change: (inout SocketIOServer.Admin) -> Void = { _ in }) -> SocketIOServer.Admin {
    var settings = SocketIOServer.Admin(username: "root", password: "secret")
    settings.updateInterval = .milliseconds(10)
    settings.statsInterval = .milliseconds(50)
    settings.failureDelay = .milliseconds(1)
    change(&settings)
    return settings
  }

  private static func with(
    _ settings: SocketIOServer.Admin = settings(), _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      server.server.enableAdmin(settings)
      try await body(server)
    }
  }

  @Test(
    "wrong credentials are refused",
    arguments: [
      "", "{}", #"{"username":"root","password":"wrong"}"#, #"{"username":"other","password":"secret"}"#,
      #"{"sessionId":"guess"}"#,
    ])
  func wrongCredentials(auth: String) async throws {
    try await Self.with { (server) async throws in
      try await server.withClient { (client) async throws in
        do {
          try await client.connect(to: "/admin", auth: json(auth))
          Issue.record("it was let in")
        } catch SocketIOError.refused(let refusal) {
          #expect(refusal.message == "invalid credentials")
        }
      }
    }
  }

  @Test("the admin namespace is unknown unless it is enabled")
  func offByDefault() async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient { (client) async throws in
        await #expect(throws: SocketIOError.self) { try await client.connect(to: "/admin", auth: Self.good) }
      }
    }
  }

  @Test("a login is remembered: the UI returns with the id that it received")
  func login() async throws {
    try await Self.with { (server) async throws in
      try await server.withClient { (client) async throws in
        var sessions = await client.events("session", as: String.self, in: "/admin").makeAsyncIterator()
        try await client.connect(to: "/admin", auth: Self.good)
        let id = try #require(try await sessions.next())
        try await server.withClient { (other) async throws in
          try await other.connect(to: "/admin", auth: json(#"{"sessionId":"\#(id)"}"#))
        }
      }
    }
  }

  @Test("the list shows sockets with their rooms, and no secret of their handshakes")
  func list() async throws {
    try await Self.with { (server) async throws in
      let secret: (inout SocketIOClient.Configuration) -> Void = {
        $0.headers = [("Authorization", "top secret"), ("User-Agent", "test")]
        $0.query = [("token", "top secret")]
      }
      try await server.withClient(.webSocket, secret) { (client) async throws in
        try await client.connect()
        server.server.join(["red"], for: .init(namespace: "/"))
        try await server.withClient { (admin) async throws in
          var configs = await admin.events("config", as: Config.self, in: "/admin").makeAsyncIterator()
          var lists = await admin.events("all_sockets", as: [ListedSocket].self, in: "/admin").makeAsyncIterator()
          var stats = await admin.events("server_stats", as: Stats.self, in: "/admin").makeAsyncIterator()
          try await admin.connect(to: "/admin", auth: Self.good)
          #expect(try await configs.next()?.supportedFeatures == [])
          let listed = try #require(try await lists.next())
          let socket = try #require(listed.first)
          #expect(listed.count == 1)
          #expect(socket.nsp == "/")
          #expect(socket.rooms == [socket.id, "red"])
          #expect(socket.transport == "websocket")
          #expect(socket.clientId.count == 12)
          #expect(socket.handshake.headers["user-agent"] == "test")
          #expect(socket.handshake.headers["authorization"] == nil)
          #expect(socket.handshake.query == ["EIO": "4", "transport": "websocket"])
          let figures = try #require(try await stats.next())
          #expect(figures.clientsCount == 2)
          #expect(figures.pollingClientsCount == 0)
          #expect(figures.namespaces.map(\.name) == ["/"])
          #expect(figures.namespaces.first?.socketsCount == 1)
        }
      }
    }
  }

  @Test("sockets that join, move and leave are reported")
  func changes() async throws {
    try await Self.with { (server) async throws in
      try await server.withClient { (admin) async throws in
        var lists = await admin.events("all_sockets", in: "/admin").makeAsyncIterator()
        var connected = await admin.events("socket_connected", as: ListedSocket.self, in: "/admin").makeAsyncIterator()
        var updated = await admin.events("socket_updated", as: [String: String].self, in: "/admin").makeAsyncIterator()
        var joined = await admin.events("room_joined", in: "/admin").makeAsyncIterator()
        var left = await admin.events("room_left", in: "/admin").makeAsyncIterator()
        var disconnected = await admin.events("socket_disconnected", in: "/admin").makeAsyncIterator()
        try await admin.connect(to: "/admin", auth: Self.good)
        _ = try await lists.next(isolation: #isolation)
        let client = try await EngineClient(server, .polling)
        try await client.join("/open")
        let socket = try #require(try await connected.next())
        #expect(socket.nsp == "/open")
        try await client.upgrade()
        #expect(try await updated.next()?["transport"] == "websocket")
        server.server.join(["red"], for: .init(namespace: "/open"))
        let joining = try #require(try await joined.next(isolation: #isolation)).arguments
        #expect(joining.values.dropLast() == [json(#""/open""#), json(#""red""#), json("\"\(socket.id)\"")])
        server.server.leave(["red"], for: .init(namespace: "/open"))
        #expect(try await left.next(isolation: #isolation)?.arguments.values[1] == json(#""red""#))
        try await client.send("41/open,")
        let leaving = try #require(try await disconnected.next(isolation: #isolation)).arguments
        #expect(leaving.values[2] == json(#""client namespace disconnect""#))
        await client.abort()
      }
    }
  }

  @Test("more changes than may be sent become a new list")
  func flood() async throws {
    try await Self.with(Self.settings { $0.maxUpdates = 1 }) { (server) async throws in
      try await server.withClient { (client) async throws in
        try await client.connect()
        try await server.withClient { (admin) async throws in
          var lists = await admin.events("all_sockets", as: [ListedSocket].self, in: "/admin").makeAsyncIterator()
          try await admin.connect(to: "/admin", auth: Self.good)
          _ = try await lists.next()
          server.server.join(["a", "b", "c"], for: .init(namespace: "/"))
          #expect(try await lists.next()?.first?.rooms.count == 4)
        }
      }
    }
  }

  @Test("commands are executed unless the namespace is read-only", arguments: [true, false])
  func commands(isReadOnly: Bool) async throws {
    try await Self.with(Self.settings { $0.isReadOnly = isReadOnly }) { (server) async throws in
      try await server.withClient { (client) async throws in
        try await client.connect()
        var heard = await client.events("hello", as: Int.self).makeAsyncIterator()
        try await server.withClient { (admin) async throws in
          try await admin.connect(to: "/admin", auth: Self.good)
          try await admin.emit("join", try SocketArguments(encoding: "/", "red"), in: "/admin")
          let hello = SocketArguments([#""/""#, #""red""#, #""hello""#, "5"].map(json))
          try await admin.emit("emit", hello, in: "/admin")
          if !isReadOnly { #expect(try await heard.next() == 5) }
          try await admin.emit("_disconnect", SocketArguments([#""/""#, "false", #""red""#].map(json)), in: "/admin")
          if !isReadOnly { await server.journal.wait(for: "left /: server namespace disconnect") }
          // An answered event of the same session shows that the commands were processed.
          try await admin.connect()
          _ = try await admin.emit("echo", in: "/", acknowledgedWithin: .seconds(60))
          let sockets = await server.server.sockets(in: .init(namespace: "/"))
          #expect(sockets.count == (isReadOnly ? 2 : 1))
          #expect(sockets.allSatisfy { $0.rooms.isEmpty })
        }
      }
    }
  }
}
