import HTTPTypes
import NIOPosix
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("An application's hooks for opening requests", .timeLimit(.minutes(5)))
struct EngineHookTests {
  private static let open = "/socket.io/?EIO=4&transport=polling"

  /// A configuration whose answers show whether their request opened a session.
  private static let marked = SocketIOServer.Configuration.changed { configuration in
    configuration.responseFields = { request in
      var fields: HTTPFields = [.cacheControl: "private", .contentLength: "7"]
      if request.isOpening { fields.append(HTTPField(name: .setCookie, value: "a=1\r\nX: y")) }
      return fields
    }
  }

  @Test(
    "responseFields adds header fields to every answer, and more to opening ones, but cannot change framing")
  func pollingFields() async throws {
    try await TestServer.with(Self.marked) { (server) async throws in
      let wire = try await server.wire()
      defer { wire.abort() }
      let first = try await wire.request("GET", Self.open)
      #expect(first.headers["set-cookie"]?.hasPrefix("a=1") == true && first.headers["x"] == nil)
      #expect(first.headers["cache-control"] == "private")
      let sid = try EngineOpen(data: Array(first.body.dropFirst())).sid
      let post = try await wire.request("POST", "\(Self.open)&sid=\(sid)", body: Array("40".utf8))
      #expect(post.status == 200 && post.text == "ok")
      #expect(post.headers["set-cookie"] == nil && post.headers["cache-control"] == "private")
      let refused = try await wire.request("GET", "\(Self.open)&sid=unknown")
      #expect(refused.status == 400 && refused.headers["cache-control"] == nil)
    }
  }

  @Test("responseFields adds cookies beside that of the session")
  func cookies() async throws {
    var configuration = Self.marked
    configuration.cookie = .init()
    try await TestServer.with(configuration) { (server) async throws in
      let wire = try await server.wire()
      defer { wire.abort() }
      let first = try await wire.request("GET", Self.open)
      let cookies = try #require(first.headers["set-cookie"])
      let sid = try EngineOpen(data: Array(first.body.dropFirst())).sid
      #expect(cookies.hasPrefix("a=1") && cookies.contains(", io=\(sid); Path=/"))
    }
  }

  @Test("responseFields adds header fields to the answer that opens a WebSocket, or upgrades to one")
  func webSocketFields() async throws {
    try await TestServer.with(Self.marked) { (server) async throws in
      let target = "/socket.io/?EIO=4&transport=websocket"
      let first = try await RawWebSocket.handshake(server.port, target)
      #expect(first.status == 101 && first.headers["set-cookie"]?.hasPrefix("a=1") == true)
      let client = try await EngineClient(server, .polling)
      let upgrade = try await RawWebSocket.handshake(server.port, "\(target)&sid=\(await client.sid)")
      #expect(upgrade.status == 101 && upgrade.headers["set-cookie"] == nil)
      #expect(upgrade.headers["cache-control"] == "private")
    }
  }

  @Test("requestRefused receives each refused request with the code and message of its answer")
  func refusals() async throws {
    let heard = Journal()
    let configuration = SocketIOServer.Configuration.changed { configuration in
      configuration.allowRequest = { $0.query["bad"] == nil ? .allow : .refuse(message: "not you") }
      configuration.requestRefused = { heard.note("\($0.refusal.rawValue) \($0.message) \($0.request.isOpening)") }
    }
    try await TestServer.with(configuration) { (server) async throws in
      let wire = try await server.wire()
      defer { wire.abort() }
      for (query, entry) in [
        ("EIO=4&transport=none", "0 Transport unknown true"),
        ("EIO=4&transport=polling&sid=x", "1 Session ID unknown false"),
        ("EIO=4&transport=polling&bad=1", "4 not you true"),
        ("EIO=9&transport=polling", "5 Unsupported protocol version true"),
      ] {
        _ = try await wire.request("GET", "/socket.io/?\(query)")
        await heard.wait(for: entry)
      }
      _ = try await wire.request("POST", Self.open)
      await heard.wait(for: "2 Bad handshake method true")
      for sid in ["x", "AAAAAAAAAAAAAAAAAAAA"] {
        let answer = try await RawWebSocket.handshake(server.port, "/socket.io/?EIO=4&transport=websocket&sid=\(sid)")
        #expect(answer.status == 400)
      }
      await heard.wait(for: "1 Session ID unknown false", times: 3)
    }
  }

  @Test("allowRequest runs off the event loop, like the application's requests unless it chooses the loop")
  func threads() async throws {
    let loops = Journal()
    let configuration = SocketIOServer.Configuration.changed { configuration in
      configuration.allowRequest = { _ in
        loops.note(MultiThreadedEventLoopGroup.currentEventLoop == nil ? "elsewhere" : "loop")
        return .allow
      }
    }
    for respondsOnEventLoop in [false, true] {
      var http = SocketIOServer.HTTPChannelConfiguration()
      http.respondsOnEventLoop = respondsOnEventLoop
      try await TestServer.with(configuration, http: http, by: .application) { (server) async throws in
        let wire = try await server.wire()
        defer { wire.abort() }
        #expect(try await wire.request("GET", "/where").text == (respondsOnEventLoop ? "loop" : "elsewhere"))
        _ = try await EngineClient(server, .polling)
        _ = try await EngineClient(server, .webSocket)
      }
    }
    await loops.wait(for: "elsewhere", times: 4)
    #expect(await loops.entries.count == 4)
  }

  @Test("without allowUpgrades no upgrade is offered or accepted; WebSockets that open a session are served")
  func noUpgrades() async throws {
    try await TestServer.with(.changed { $0.allowUpgrades = false }) { (server) async throws in
      let client = try await EngineClient(server, .polling)
      let wire = try await server.wire()
      defer { wire.abort() }
      let opening = try await wire.request("GET", Self.open)
      #expect(try EngineOpen(data: Array(opening.body.dropFirst())).upgrades.isEmpty)
      await #expect(throws: RawWebSocket.Refused.self) { try await client.upgrade() }
      try await client.join("/")
      try await client.send(#"420["echo",1]"#)
      #expect(try await client.text() == "430[1]")
      _ = try await EngineClient(server, .webSocket)
    }
  }

  @Test("sessionID makes the ids of sessions, which work over every transport", arguments: Carrier.allCases)
  func ids(carrier: Carrier) async throws {
    let configuration = SocketIOServer.Configuration.changed { configuration in
      configuration.node = "n"
      configuration.sessionID = { "\($0.query["name"] ?? "")-0123456789abcdefghij" }
    }
    try await TestServer.with(configuration) { (server) async throws in
      let client = try await EngineClient(server, carrier, query: "&name=tom")
      let sid = await client.sid
      #expect(sid.hasPrefix("n.") && sid.dropFirst(4) == "tom-0123456789abcdefghij")
      try await client.join("/")
      try await client.send(#"420["echo",1]"#)
      #expect(try await client.text() == "430[1]")
      await client.abort()
    }
  }

  @Test(
    "an id of sessionID that is invalid, or in use on that loop, is replaced by a random one",
    arguments: ["short", "ünlauteres-aaaaaaaaaaaa"])
  func badIDs(made: String) async throws {
    try await TestServer.with(.changed { $0.sessionID = { _ in made } }) { (server) async throws in
      let client = try await EngineClient(server, .polling)
      #expect(await client.sid.utf8.count == 20)
    }
    let taken = String(repeating: "t", count: 18)
    try await TestServer.with(.changed { $0.sessionID = { _ in taken } }) { (server) async throws in
      let wire = try await server.wire()
      defer { wire.abort() }
      // Over one connection, and so on one loop.
      var sids: Set<String> = []
      for _ in 0..<2 {
        let answer = try await wire.request("GET", Self.open)
        sids.insert(try EngineOpen(data: Array(answer.body.dropFirst())).sid)
      }
      #expect(sids.count == 2 && sids.count { $0.hasSuffix(taken) } == 1)
    }
  }
}
