import HTTPTypes
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

extension HTTPField.Name {
  fileprivate static let referer = Self("Referer") ?? .via
}

@Suite("Web pages of other origins", .timeLimit(.minutes(5)))
struct AllowedOriginsTests {
  static let polling = "/socket.io/?EIO=4&transport=polling"
  static let webSocket = "/socket.io/?EIO=4&transport=websocket"

  /// The test client sends `Host: localhost`.
  static func status(_ server: TestServer, _ target: String, _ headers: [(String, String)]) async throws -> Int {
    target == webSocket
      ? try await RawWebSocket.handshake(server.port, target, headers: headers).status
      : try await server.wire().request("GET", target, headers: headers).status
  }

  @Test(
    "the server's own origin and those of the list are served, with any scheme; others are answered 403",
    arguments: [
      ("http://localhost", true), ("ws://localhost", true), ("WS://LOCALHOST", true), ("https://localhost", true),
      ("https://chat.example.com:8443", true), ("wss://chat.example.com:8443", true),
      ("https://chat.example.com", false), ("http://localhost:8081", false), ("http://evil.example", false),
      ("http://localhost.evil.example", false), ("http://localhost@evil.example", false), ("null", false),
      ("file://", false), ("localhost", false), ("http://[::1]", false), ("http://", false),
    ])
  func origins(_ origin: String, _ isServed: Bool) async throws {
    let configuration = SocketIOServer.Configuration.changed {
      $0.allowedOrigins = .init(others: ["https://chat.example.com:8443"])
    }
    try await TestServer.with(configuration) { (server) async throws in
      #expect(try await Self.status(server, Self.polling, [("Origin", origin)]) == (isServed ? 200 : 403))
      #expect(try await Self.status(server, Self.polling + "&j=0", [("Origin", origin)]) == (isServed ? 200 : 403))
      let handshake = try await RawWebSocket.handshake(server.port, Self.webSocket, headers: [("Origin", origin)])
      #expect(handshake.status == (isServed ? 101 : 403))
    }
  }

  @Test("pages of the address that a proxy reports are the server's own, if the application trusts it")
  func forwarded() async throws {
    let configuration = SocketIOServer.Configuration.changed {
      $0.allowedOrigins = .init()
      $0.forwardedAuthority = { headers, _ in headers[.referer] }
    }
    try await TestServer.with(configuration) { (server) async throws in
      for target in [Self.polling, Self.webSocket] {
        for (origin, place, status) in [
          ("https://chat.example.com:8443", "chat.example.com:8443", 0),
          ("https://chat.example.com", "chat.example.com", 0),
          ("https://chat.example.com", "chat.example.com:8443", 403), ("http://localhost", "chat.example.com", 0),
          ("https://evil.example", "chat.example.com", 403),
        ] {
          let answer = try await Self.status(server, target, [("Origin", origin), ("Referer", place)])
          #expect((answer == 403) == (status == 403), "\(origin) \(place)")
        }
      }
    }
  }

  @Test("an open session is closed to pages of other origins, too")
  func openSessions() async throws {
    try await TestServer.with(.changed { $0.allowedOrigins = .init() }) { (server) async throws in
      let opening = try await server.wire().request("GET", Self.polling).text
      let sid = String(opening.split(separator: "\"")[3])
      let target = "\(Self.polling)&sid=\(sid)"
      let foreign = [("Origin", "http://evil.example")]
      #expect(try await server.wire().request("POST", target, headers: foreign, body: Array("40".utf8)).status == 403)
      #expect(try await Self.status(server, target, foreign) == 403)
      #expect(try await server.wire().request("POST", target, body: Array("40".utf8)).status == 200)
    }
  }

  @Test("a browser's request from another site without an origin is refused, other requests without one are not")
  func fetchSite() async throws {
    try await TestServer.with(.changed { $0.allowedOrigins = .init() }) { (server) async throws in
      #expect(try await Self.status(server, Self.polling, [("Sec-Fetch-Site", "cross-site")]) == 403)
      for site in ["same-origin", "none"] {
        #expect(try await Self.status(server, Self.polling, [("Sec-Fetch-Site", site)]) == 200)
      }
    }
  }

  @Test("JSONP can be turned off")
  func jsonp() async throws {
    try await TestServer.with(.changed { $0.allowJSONP = false }) { (server) async throws in
      let answer = try await server.wire().request("GET", Self.polling + "&j=0")
      #expect(answer.status == 400 && answer.text.contains("JSONP is not served"))
    }
  }

  @Test("a request with more header fields than a session may keep opens none")
  func largeHandshake() async throws {
    try await TestServer.with(.changed { $0.maxHandshakeBytes = 2000 }) { (server) async throws in
      let large = [("X-Large", String(repeating: "x", count: 2000))]
      #expect(try await Self.status(server, Self.polling, large) == 400)
      #expect(try await RawWebSocket.handshake(server.port, Self.webSocket, headers: large).status == 400)
      #expect(try await Self.status(server, Self.polling, []) == 200)
      #expect(await server.settles(sessions: 1))
    }
  }

  @Test("the application may count sessions itself; a reservation is released when the session ends")
  func places() async throws {
    let places = Places(2)
    let configuration = SocketIOServer.Configuration.changed { $0.reserveSession = { _ in places.take() } }
    try await TestServer.with(configuration) { (server) async throws in
      let first = try await server.webSocket()
      _ = try await server.wire().request("GET", Self.polling)
      #expect(try await Self.status(server, Self.polling, []) == 503)
      #expect(try await RawWebSocket.handshake(server.port, Self.webSocket).status == 503)
      try await first.send("1")
      #expect(await server.settles(sessions: 1))
      #expect(try await Self.status(server, Self.polling, []) == 200)
    }
    #expect(places.free == 2)
  }
}
