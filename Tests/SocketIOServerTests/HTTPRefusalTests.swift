import SocketIOProtocol
import SocketIOServer
import Testing

@Suite("Engine.IO requests that are refused", .timeLimit(.minutes(1)))
struct HTTPRefusalTests {
  @Test(
    "polling requests are refused with the reference's code and message",
    arguments: [
      ("GET", "", 0, "Transport unknown"), ("GET", "EIO=4", 0, "Transport unknown"),
      ("GET", "EIO=4&transport=abc", 0, "Transport unknown"),
      ("GET", "EIO=4&transport=__proto__", 0, "Transport unknown"),
      ("GET", "EIO=4&transport=websocket", 3, "Bad request"),
      ("GET", "EIO=4&transport=polling&transport=websocket", 3, "Bad request"),
      ("GET", "EIO=4&transport=polling&sid=nope", 1, "Session ID unknown"),
      ("GET", "EIO=4&transport=polling&sid=AAAAAAAAAAAAAAAAAAAA", 1, "Session ID unknown"),
      ("GET", "EIO=4&transport=polling&sid=__AAAAAAAAAAAAAAAAAA", 1, "Session ID unknown"),
      ("POST", "EIO=4&transport=polling", 2, "Bad handshake method"),
      ("PUT", "EIO=4&transport=polling", 2, "Bad handshake method"),
      ("HEAD", "EIO=4&transport=polling", 2, "Bad handshake method"),
      ("GET", "EIO=5&transport=polling", 5, "Unsupported protocol version"),
      ("GET", "EIO=abc&transport=polling", 5, "Unsupported protocol version"),
    ])
  func refused(method: String, query: String, code: Int, message: String) async throws {
    try await TestServer.with { server in
      let wire = try await server.wire()
      try await wire.sendRequest(method, "/socket.io/?\(query)", body: method == "GET" ? nil : [])
      guard method != "HEAD" else {
        #expect(try await wire.readLine().hasPrefix("HTTP/1.1 400"))
        return
      }
      let answer = try await wire.readAnswer()
      #expect(answer.status == 400)
      #expect(answer.text == #"{"code":\#(code),"message":"\#(message)"}"#)
      #expect(answer.headers["content-type"] == "application/json")
      #expect(answer.headers["access-control-allow-origin"] == "*")
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("without EIO3 old clients are told the cure, over polling and over a WebSocket")
  func tooOld() async throws {
    try await TestServer.with(.changed { $0.allowEIO3 = false }) { server in
      for query in ["transport=polling", "EIO=3&transport=polling"] {
        let answer = try await server.wire().request("GET", "/socket.io/?\(query)")
        #expect(answer.status == 400)
        #expect(answer.text.hasPrefix(#"{"code":5,"message":"Unsupported protocol version: the client speaks"#))
      }
      let webSocket = try await server.webSocket("EIO=3&transport=websocket")
      #expect(await webSocket.text()?.hasPrefix(#"{"code":5,"message":"#) == true)
      #expect(await webSocket.next() == .close(nil))
    }
  }

  @Test(
    "a WebSocket request is refused over HTTP where the reference refuses it, and where it says so too late",
    arguments: [
      ("EIO=4", [], "Transport unknown"), ("EIO=4&transport=abc", [], "Transport unknown"),
      ("EIO=4&transport=polling", [], "Bad request"), ("EIO=4&transport=websocket&sid=nope", [], "Session ID unknown"),
      ("EIO=4&transport=websocket&sid=AAAAAAAAAAAAAAAAAAAA", [], "Session ID unknown"),
      ("EIO=5&transport=websocket", [], "Unsupported protocol version"),
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

  @Test("a preflight is answered as the reference answers it")
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
