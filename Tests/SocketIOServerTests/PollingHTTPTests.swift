import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Long-polling as HTTP", .timeLimit(.minutes(5)))
struct PollingHTTPTests {
  private static let base = "/socket.io/?EIO=4&transport=polling"
  private static let form = [("Content-Type", "application/x-www-form-urlencoded")]

  /// A polling session with a waiting event of `count` bytes of text.
  private func waiting(_ count: Int, _ server: TestServer) async throws -> String {
    let client = try await EngineClient(server, .polling)
    try await client.join("/")
    try await client.send(#"421["echo"]"#)
    #expect(try await client.text() == "431[]")
    let overhead = #"42["echo-back",""]"#.utf8.count
    try await client.send(#"42["echo","\#(String(repeating: "x", count: count - overhead))"]"#)
    return await client.sid
  }

  @Test(
    "an answer of 1024 bytes or more is compressed in a coding that the client accepts",
    arguments: [
      ("gzip", 1024, "gzip"), ("deflate", 1024, "deflate"), ("gzip, deflate, br", 5000, "gzip"), ("*", 1024, "gzip"),
      ("gzip;q=0.5, deflate;q=0.8", 1024, "deflate"), ("gzip;q=0", 1024, nil), ("br", 1024, nil), ("", 1024, nil),
      ("gzip", 1023, nil), ("GZIP ; q=1.0", 100_000, "gzip"),
    ] as [(String, Int, String?)])
  func compression(accepted: String, count: Int, coding: String?) async throws {
    try await TestServer.with { server in
      let sid = try await waiting(count, server)
      let answer = try await server.wire().request(
        "GET", "\(Self.base)&sid=\(sid)", headers: accepted.isEmpty ? [] : [("Accept-Encoding", accepted)])
      #expect(answer.headers["content-encoding"] == coding)
      #expect(answer.headers["content-type"] == "text/plain; charset=UTF-8")
      let body = coding == nil ? answer.body : try #require(inflated(answer.body))
      #expect(body.count == count && body.starts(with: #"42["echo-back","xxx"#.utf8))
      if coding != nil { #expect(answer.body.count < count / 2) }
    }
  }

  @Test("the threshold of compression can be set, and compression can be turned off", arguments: [100, nil])
  func compressionThreshold(threshold: Int?) async throws {
    try await TestServer.with(.changed { $0.compressionThreshold = threshold }) { server in
      let answer = try await server.wire().request(
        "GET", "\(Self.base)&sid=\(try await waiting(2000, server))", headers: [("Accept-Encoding", "gzip")])
      #expect(answer.headers["content-encoding"] == (threshold == nil ? nil : "gzip"))
    }
  }

  @Test(
    "an answer is not compressed if compression is off for all its events, including attachments",
    arguments: [([false], nil), ([false, false], nil), ([false, true], "gzip"), ([true], "gzip")] as [([Bool], String?)]
  )
  func compressFalse(events: [Bool], coding: String?) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      let arguments = SocketArguments(
        [Array(#"{"_placeholder":true,"num":0}"#.utf8)], attachments: [Array(repeating: 7, count: 3000)])
      for compress in events {
        server.server.emit("e", arguments, to: .init(namespace: "/", compress: compress))
      }
      // After all of them.
      _ = await server.server.sockets(in: .init(namespace: "/"))
      let answer = try await server.wire().request(
        "GET", "\(Self.base)&sid=\(await client.sid)", headers: [("Accept-Encoding", "gzip")])
      #expect(answer.headers["content-encoding"] == coding)
    }
  }

  @Test("JSONP: the payload is the argument of a call, with the client's number, and escaped for JavaScript")
  func jsonpAnswers() async throws {
    try await TestServer.with { server in
      let opening = try await server.wire().request("GET", "\(Self.base)&j=7")
      let prefix = #"___eio[7]("0{\"sid\":\""#
      #expect(opening.text.hasPrefix(prefix) && opening.text.hasSuffix(#"\"maxPayload\":1000000}");"#))
      #expect(opening.headers["content-type"] == "text/plain; charset=UTF-8")
      let sid = opening.text.dropFirst(prefix.count).prefix(20)
      let target = "\(Self.base)&j=8);alert(1&sid=\(sid)"
      #expect(
        try await server.wire().request("POST", target, headers: Self.form, body: Array("d=40".utf8)).text == "ok")
      #expect(try await server.wire().request("GET", target).text.hasPrefix(#"___eio[81]("40{\"sid\""#))
      let event = "d=42%5B%22echo%22%2C%22%E2%80%A8%E2%80%A9%E2%80%94%22%5D"
      #expect(try await server.wire().request("POST", target, headers: Self.form, body: Array(event.utf8)).text == "ok")
      #expect(
        try await server.wire().request("GET", target).text
          == #"___eio[81]("42[\"echo-back\",\"\u2028\u2029—\"]");"#)
    }
  }

  @Test("JSONP: a POST is a form whose field d has its line ends escaped once more")
  func jsonpPosts() async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      let target = "\(Self.base)&j=0&sid=\(await client.sid)"
      // In the field: `\\n` is the two characters of a JSON escape, `\n` a line end (white space in JSON).
      let body = #"d=42%5B%22echo%22%2C%5Cn%22a%5C%5Cnb+c%22%5D"#
      #expect(try await server.wire().request("POST", target, headers: Self.form, body: Array(body.utf8)).text == "ok")
      #expect(try await client.text() == #"42["echo-back","a\nb c"]"#)
      #expect(try await server.wire().request("POST", target, headers: Self.form, body: Array("x=4".utf8)).text == "ok")
      await server.journal.wait(for: "left /: parse error")
    }
  }

  @Test("a header turns off Internet Explorer's filter")
  func xssProtection() async throws {
    try await TestServer.with { server in
      for (agent, value) in [
        ("Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)", "0"), ("Mozilla/5.0 (Trident/7.0; rv:11.0)", "0"),
        ("Mozilla/5.0", nil),
      ] as [(String, String?)] {
        let answer = try await server.wire().request("GET", Self.base, headers: [("User-Agent", agent)])
        #expect(answer.headers["x-xss-protection"] == value)
      }
    }
  }

  @Test("no cookie is set by default")
  func noCookie() async throws {
    try await TestServer.with { server in
      let answer = try await server.wire().request("GET", Self.base)
      #expect(answer.headers["set-cookie"] == nil)
    }
  }

  @Test("the cookie holds the session's id and comes with the answer that opens a polling session, not later")
  func cookie() async throws {
    try await TestServer.with(.changed { $0.cookie = .init() }) { server in
      let answer = try await server.wire().request("GET", Self.base)
      let sid = try EngineOpen(data: Array(answer.body.dropFirst())).sid
      #expect(answer.headers["set-cookie"] == "io=\(sid); Path=/; HttpOnly; SameSite=Lax")
      let target = "\(Self.base)&sid=\(sid)"
      let posted = try await server.wire().request("POST", target, body: Array("40".utf8))
      #expect(posted.headers["set-cookie"] == nil)
      #expect(try await server.wire().request("GET", target).headers["set-cookie"] == nil)
    }
    let cookie = SocketIOServer.SessionCookie(
      name: "route", path: "/chat", isHTTPOnly: false, isSecure: true, sameSite: .none)
    try await TestServer.with(.changed { $0.cookie = cookie }) { server in
      let answer = try await server.wire().request("GET", Self.base)
      let sid = try EngineOpen(data: Array(answer.body.dropFirst())).sid
      #expect(answer.headers["set-cookie"] == "route=\(sid); Path=/chat; Secure; SameSite=None")
    }
  }

  @Test("an answer to HEAD has no body, and opens nothing")
  func head() async throws {
    try await TestServer.with { server in
      let wire = try await server.wire()
      try await wire.sendRequest("HEAD", Self.base, headers: [("Connection", "close")])
      let bytes = await wire.readToEnd()
      let answer = String(decoding: bytes, as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 400") && answer.hasSuffix("\r\n\r\n"))
      #expect(server.server.stats.sessions == 0)
    }
  }

  @Test("without CORS an OPTIONS request is a bad handshake, or a method not allowed for a session")
  func optionsWithoutCORS() async throws {
    try await TestServer.with(.changed { $0.cors = .sameOrigin }) { server in
      #expect(
        try await server.wire().request("OPTIONS", Self.base).text == #"{"code":2,"message":"Bad handshake method"}"#)
      let client = try await EngineClient(server, .polling)
      #expect(try await server.wire().request("OPTIONS", "\(Self.base)&sid=\(await client.sid)").status == 405)
      let answer = try await server.wire().request("GET", Self.base, headers: [("Origin", "http://a")])
      #expect(answer.headers["access-control-allow-origin"] == nil && answer.headers["vary"] == nil)
    }
  }

  @Test("with concrete origins every answer varies by origin, and a WebSocket's 101 has the same headers")
  func concreteOrigins() async throws {
    try await TestServer.with(.changed { $0.cors = .origins(["http://a"], credentials: true) }) { server in
      for (method, target, origin) in [
        ("GET", Self.base, "http://a"), ("GET", "/socket.io/?EIO=4", "http://a"), ("OPTIONS", Self.base, "http://a"),
      ] {
        let answer = try await server.wire().request(method, target, headers: [("Origin", origin)])
        #expect(answer.headers["access-control-allow-origin"] == origin)
        #expect(answer.headers["access-control-allow-credentials"] == "true")
        #expect(answer.headers["vary"]?.contains("Origin") == true)
      }
      let answer = try await RawWebSocket.handshake(
        server.port, "/socket.io/?EIO=4&transport=websocket", headers: [("Origin", "http://a")])
      #expect(answer.status == 101 && answer.headers["access-control-allow-origin"] == "http://a")
    }
  }
}

@Suite("allowRequest", .timeLimit(.minutes(5)))
struct AllowRequestTests {
  private static let choosy = SocketIOServer.Configuration.changed {
    $0.allowEIO3 = false
    $0.allowRequest = { request in
      await Task.yield()
      switch request.query["key"] {
      case "good": return .allow
      case "spoken": return .refuse(message: "no key for \(request.transport.rawValue)")
      default: return .refuse()
      }
    }
  }

  @Test("a refused request is answered 403 with code 4 and the application's message, over both transports")
  func refused() async throws {
    try await TestServer.with(Self.choosy) { server in
      for (query, message) in [("", "Forbidden"), ("&key=spoken", "no key for polling")] {
        let answer = try await server.wire().request("GET", "/socket.io/?EIO=4&transport=polling\(query)")
        #expect(answer.status == 403 && answer.text == #"{"code":4,"message":"\#(message)"}"#)
        #expect(answer.headers["access-control-allow-origin"] == "*")
      }
      let answer = try await RawWebSocket.handshake(server.port, "/socket.io/?EIO=4&transport=websocket&key=spoken")
      #expect(answer.status == 403 && answer.text == "no key for websocket")
      #expect(answer.headers["connection"] == "close")
      #expect(server.server.stats.sessions == 0)
    }
  }

  @Test(
    "an allowed request opens a session, and later requests of it are not checked again", arguments: Carrier.allCases)
  func allowed(carrier: Carrier) async throws {
    try await TestServer.with(Self.choosy) { server in
      let client = try await EngineClient(server, carrier, query: "&key=good")
      #expect(try await client.join("/")?.hasPrefix("40{") == true)
    }
  }

  @Test("the application is asked after transport, session and method, and before the revision")
  func order() async throws {
    try await TestServer.with(Self.choosy) { server in
      for (method, query, status, code) in [
        ("GET", "EIO=4", 400, 0), ("GET", "EIO=4&transport=polling&sid=nope", 400, 1),
        ("POST", "EIO=4&transport=polling", 400, 2), ("GET", "EIO=4&transport=websocket", 400, 3),
        ("GET", "transport=polling", 403, 4), ("GET", "EIO=5&transport=polling&key=good", 400, 5),
      ] {
        let answer = try await server.wire().request(method, "/socket.io/?\(query)", body: method == "GET" ? nil : [])
        #expect(answer.status == status && answer.text.hasPrefix(#"{"code":\#(code),"#))
      }
    }
  }

  @Test("a WebSocket client that leaves while the application decides is not awaited")
  func leaves() async throws {
    let journal = Journal()
    let slow = SocketIOServer.Configuration.changed {
      $0.allowRequest = { _ in
        await journal.add("asked")
        try? await Task.sleep(for: .seconds(3600))
        await journal.add("cancelled")
        return .allow
      }
    }
    try await TestServer.with(slow) { server in
      let wire = try await server.wire()
      try await wire.sendRequest(
        "GET", "/socket.io/?EIO=4&transport=websocket", headers: RawWebSocket.handshakeFields)
      await journal.wait(for: "asked")
      wire.abort()
      await journal.wait(for: "cancelled")
      #expect(server.server.stats.sessions == 0)
    }
  }
}
