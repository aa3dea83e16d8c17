import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import SocketIOSupport
import Testing

@testable import SocketIOServer

@Suite("The HTTP connections of the application", .timeLimit(.minutes(5)))
struct HTTPConnectionTests {
  @Test("Expect: 100-continue is answered before the body is there", arguments: TestListener.allCases)
  func expectContinue(listener: TestListener) async throws {
    try await TestServer.with(by: listener) { server in
      let wire = try await server.wire()
      for _ in 0..<2 {
        try await wire.send(
          Array("POST /upload HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n".utf8))
        #expect(try await wire.readLine() == "HTTP/1.1 100 Continue")
        #expect(try await wire.readLine().isEmpty)
        try await wire.send(Array("hello".utf8))
        #expect(try await wire.readAnswer().text == "5")
      }
    }
  }

  @Test("header values with bytes beyond ASCII pass", arguments: TestListener.allCases)
  func beyondASCII(listener: TestListener) async throws {
    try await TestServer.with(by: listener) { server in
      let answer = try await server.wire().request("GET", "/other", headers: [("X-Test", "é한")])
      #expect(answer.status == 200 && answer.text == "é한")
      #expect(
        try await server.wire().request("GET", "/socket.io/?EIO=4&transport=polling", headers: [("X", "é")]).status
          == 200)
    }
  }

  @Test("a head over the limits is refused", arguments: TestListener.allCases)
  func headLimits(listener: TestListener) async throws {
    try await TestServer.with(by: listener) { server in
      let answer = try await server.wire().request(
        "GET", "/other", headers: [("X-Test", String(repeating: "x", count: 20_000))])
      #expect(answer.status == 400)
    }
  }

  @Test(
    "the application answers an unknown upgrade, and the connection ends", arguments: TestListener.allCases)
  func foreignUpgrade(listener: TestListener) async throws {
    try await TestServer.with(by: listener) { server in
      let wire = try await server.wire()
      let answer = try await wire.request("GET", "/other", headers: [("Connection", "Upgrade"), ("Upgrade", "h2c")])
      #expect(answer.text == "none" && answer.headers["connection"] == "close")
      #expect(await wire.readToEnd().isEmpty)
    }
  }

  @Test("an idle connection is closed", arguments: TestListener.allCases)
  func idle(listener: TestListener) async throws {
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.idleTimeout = .seconds(1)
    try await TestServer.with(http: http, by: listener) { server in
      // The time begins with the connection: on a busy machine it may be over before the request arrives.
      for _ in 0..<10 {
        let wire = try await server.wire()
        guard let answer = try? await wire.request("GET", "/other") else { continue }
        #expect(answer.status == 200)
        #expect(await wire.readToEnd().isEmpty)
        return
      }
      Issue.record("no request was answered")
    }
  }

  @Test(
    "garbage is refused without harm", arguments: ["\u{0}\u{1}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9\r\n\r\n"],
    TestListener.allCases)
  func garbage(text: String, listener: TestListener) async throws {
    try await TestServer.with(by: listener) { server in
      let wire = try await server.wire()
      try await wire.send(Array(text.utf8))
      _ = await wire.readToEnd()
      #expect(try await server.wire().request("GET", "/other").status == 200)
    }
  }

  @Test("a connection that a stopping listener drops is closed without other effects")
  func dropped() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let server = SocketIOServer(eventLoopGroup: group)
    let connections = HTTPConnections(server: { [server] in server }, configuration: .init())
    try await drop(by: SocketIOHTTPChannel(connections: connections, responder: { _, _, _ in }), group)
    try await drop(by: RequestListener(connections: connections, respond: { _, _ in Response(status: .ok) }), group)
  }

  private func drop(by handler: some ServerChildChannel, _ group: some EventLoopGroup) async throws {
    let listener = try await ServerBootstrap(group: group).childChannelInitializer { channel in
      handler.setup(channel: channel, logger: Logger(label: "test")).map { _ in }
    }.bind(host: "127.0.0.1", port: 0).get()
    for _ in 0..<20 {
      let wire = try await Wire.connect(try #require(listener.localAddress?.port))
      #expect(await wire.readToEnd().isEmpty)
    }
    try await listener.close()
  }
}
