import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Refused Engine.IO requests", .timeLimit(.minutes(5)))
struct HTTPRefusalTests {
  @Test(
    "polling requests are refused with the reference's code and message",
    arguments: [
      ("GET", "", 0, "Transport unknown"), ("GET", "EIO=4", 0, "Transport unknown"),
      ("GET", "EIO=4&transport=abc", 0, "Transport unknown"),
      ("GET", "EIO=4&transport=__proto__", 0, "Transport unknown"),
      ("GET", "EIO=4&transport=websocket&sid=nope", 1, "Session ID unknown"),
      ("GET", "EIO=4&transport=polling&sid=nope", 1, "Session ID unknown"),
      ("GET", "EIO=4&transport=polling&sid=AAAAAAAAAAAAAAAAAAAA", 1, "Session ID unknown"),
      ("GET", "EIO=4&transport=polling&sid=__AAAAAAAAAAAAAAAAAA", 1, "Session ID unknown"),
      ("POST", "EIO=4&transport=polling", 2, "Bad handshake method"),
      ("PUT", "EIO=4&transport=polling", 2, "Bad handshake method"),
      ("GET", "EIO=5&transport=polling", 5, "Unsupported protocol version"),
      ("GET", "EIO=abc&transport=polling", 5, "Unsupported protocol version"),
    ])
  func refused(method: String, query: String, code: Int, message: String) async throws {
    try await TestServer.with { server in
      let wire = try await server.wire()
      try await wire.sendRequest(method, "/socket.io/?\(query)", body: method == "GET" ? nil : [])
      let answer = try await wire.readAnswer()
      #expect(answer.status == 400)
      #expect(answer.text == #"{"code":\#(code),"message":"\#(message)"}"#)
      #expect(answer.headers["content-type"] == "application/json")
      #expect(answer.headers["access-control-allow-origin"] == "*")
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("without EIO3 old clients receive the cure, over polling and over a WebSocket")
  func tooOld() async throws {
    try await TestServer.with(.changed { $0.allowEIO3 = false }) { server in
      for query in ["transport=polling", "EIO=3&transport=polling"] {
        let answer = try await server.wire().request("GET", "/socket.io/?\(query)")
        #expect(answer.status == 400)
        #expect(answer.text.hasPrefix(#"{"code":5,"message":"Unsupported protocol version: the client speaks"#))
      }
      for query in ["EIO=3&transport=websocket", "transport=websocket"] {
        let webSocket = try await server.webSocket(query)
        let text = await webSocket.text()
        #expect(text?.hasPrefix(#"{"code":5,"message":"Unsupported protocol version: the client speaks"#) == true)
        #expect(await webSocket.next() == .close(nil))
      }
    }
  }

  @Test("an unknown revision is reported over a WebSocket as a text frame, because clients do not show an HTTP refusal")
  func unknownRevision() async throws {
    try await TestServer.with { server in
      let webSocket = try await server.webSocket("EIO=5&transport=websocket")
      #expect(await webSocket.text() == #"{"code":5,"message":"Unsupported protocol version"}"#)
      #expect(await webSocket.next() == .close(nil))
      #expect(server.server.stats.sessions == 0)
    }
  }

  @Test("the refusal of transport=websocket without its Upgrade header names the proxy", arguments: [false, true])
  func droppedUpgrade(hasSession: Bool) async throws {
    try await TestServer.with { server in
      var query = "EIO=4&transport=polling&transport=websocket"
      if hasSession { query += "&sid=\(await (try await EngineClient(server, .polling)).sid)" }
      let answer = try await server.wire().request("GET", "/socket.io/?\(query)")
      #expect(answer.status == 400)
      #expect(
        answer.text.hasPrefix(#"{"code":3,"message":"Bad request: transport=websocket without an Upgrade header"#))
      #expect(answer.text.contains("proxy"))
    }
  }

  @Test(
    "a WebSocket request is refused over HTTP where the reference refuses it, and where it does so too late",
    arguments: [
      ("EIO=4", [], "Transport unknown"), ("EIO=4&transport=abc", [], "Transport unknown"),
      ("EIO=4&transport=polling", [], "Bad request"), ("EIO=4&transport=websocket&sid=nope", [], "Session ID unknown"),
      ("EIO=4&transport=websocket&sid=AAAAAAAAAAAAAAAAAAAA", [], "Session ID unknown"),
      ("EIO=4&transport=websocket", [("Sec-WebSocket-Key", "x")], "Missing or invalid Sec-WebSocket-Key header"),
      (
        "EIO=4&transport=websocket", [("Sec-WebSocket-Version", "12")],
        "Missing or invalid Sec-WebSocket-Version header"
      ),
    ])
  func refusedUpgrade(query: String, headers: [(String, String)], message: String) async throws {
    try await TestServer.with { server in
      do {
        _ = try await RawWebSocket.open(server.port, "/socket.io/?\(query)", headers: headers)
        Issue.record("the WebSocket was opened")
      } catch let refusal as RawWebSocket.Refused {
        #expect(refusal.answer.status == 400)
        #expect(refusal.answer.text == message)
      }
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("a full server refuses sessions and takes them again later")
  func sessionLimit() async throws {
    try await TestServer.with(.changed { $0.maxSessions = 1 }) { server in
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/")
      #expect(try await client.get("").status == 503)
      await #expect(throws: RawWebSocket.Refused.self) { try await server.webSocket() }
      try await client.send("1")
      await server.journal.wait(for: "left /: transport close")
      #expect(try await client.get("").status == 200)
    }
  }

  @Test("a transport that is not offered is unknown")
  func transports() async throws {
    try await TestServer.with(.changed { $0.transports = [.webSocket] }) { server in
      let answer = try await server.wire().request("GET", "/socket.io/?EIO=4&transport=polling")
      #expect(answer.text == #"{"code":0,"message":"Transport unknown"}"#)
      _ = try await server.webSocket()
    }
    try await TestServer.with(.changed { $0.transports = [.polling] }) { server in
      let answer = try await server.wire().request("GET", "/socket.io/?EIO=4&transport=polling")
      #expect(answer.text.contains(#""upgrades":[]"#))
      await #expect(throws: RawWebSocket.Refused.self) { try await server.webSocket() }
    }
  }

  @Test("the path counts with its last slash, without it, and with more behind it")
  func paths() async throws {
    try await TestServer.with { server in
      for path in ["/socket.io/", "/socket.io", "/socket.io/sub"] {
        let answer = try await server.wire().request("GET", "\(path)?EIO=4&transport=polling")
        #expect(answer.text.hasPrefix("0{"))
      }
      for path in ["/socket.iox", "/socket", "/", "/x/socket.io/"] { #expect(!server.server.isSocketPath(path)) }
    }
  }

  @Test("a preflight is answered as by the reference")
  func preflight() async throws {
    try await TestServer.with { server in
      let answer = try await server.wire().request(
        "OPTIONS", "/socket.io/?EIO=4&transport=polling",
        headers: [("Origin", "http://a"), ("Access-Control-Request-Headers", "x-test")])
      #expect(answer.status == 204)
      #expect(answer.headers["access-control-allow-methods"] == "GET,HEAD,PUT,PATCH,POST,DELETE")
      #expect(answer.headers["access-control-allow-headers"] == "x-test")
      #expect(answer.headers["vary"] == "Access-Control-Request-Headers")
    }
    try await TestServer.with(.changed { $0.cors = .origins(["http://a"], credentials: true) }) { server in
      for (origin, allowed) in [("http://a", "http://a"), ("http://b", nil)] as [(String, String?)] {
        let answer = try await server.wire().request(
          "GET", "/socket.io/?EIO=4&transport=polling", headers: [("Origin", origin)])
        #expect(answer.headers["access-control-allow-origin"] == allowed)
        #expect(answer.headers["vary"] == "Origin")
      }
    }
  }
}
