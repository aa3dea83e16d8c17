import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Synchronization
import Testing

@Suite("Long-polling", .timeLimit(.minutes(5)))
struct PollingTests {
  @Test("the handshake has the headers and keys of the protocol")
  func handshake() async throws {
    try await TestServer.with(.changed { $0.pingInterval = .seconds(25) }) { server in
      let answer = try await server.wire().request("GET", "/socket.io/?EIO=4&transport=polling&b64=1&x=%20&sid=")
      #expect(answer.status == 200)
      #expect(answer.headers["content-type"] == "text/plain; charset=UTF-8")
      #expect(answer.headers["cache-control"] == "no-store")
      let sid = try EngineOpen(data: Array(answer.body.dropFirst())).sid
      let rest = #""upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#
      #expect(answer.text == #"0{"sid":"\#(sid)",\#(rest)"#)
      #expect(sid.count == 20)
    }
  }

  @Test("a good POST is answered ok, with any content type, and also if chunked", arguments: TestListener.allCases)
  func posts(listener: TestListener) async throws {
    try await TestServer.with(by: listener) { server in
      let client = try await EngineClient(server, .polling)
      let answer = try await client.post("40")
      #expect(answer.status == 200 && answer.text == "ok" && answer.headers["content-type"] == "text/html")
      #expect(try await client.text()?.hasPrefix("40{") == true)
      let wire = try await server.wire()
      let target = "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)"
      let head =
        "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
      let event = #"42["echo",1]"#
      try await wire.send(Array("\(head)3\r\n\(event.prefix(3))\r\n9\r\n\(event.dropFirst(3))\r\n0\r\n\r\n".utf8))
      #expect(try await wire.readAnswer().text == "ok")
      #expect(try await client.text() == #"42["echo-back",1]"#)
      #expect(try await client.post("6").text == "ok")
      #expect(try await client.post("3").text == "ok")
    }
  }

  @Test("an invalid payload ends the session", arguments: ["", "abc", "4\u{1e}", "2", "bx", "2probe"])
  func badPayloads(body: String) async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      #expect(try await client.post(body).text == "ok")
      #expect(try await client.get("&sid=\(await client.sid)").text == #"{"code":1,"message":"Session ID unknown"}"#)
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test(
    "a packet out of place ends the session after waiting packets: the next GET gets a noop and a close")
  func violation() async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, .polling)
      // The event after the second CONNECT is ignored.
      #expect(
        try await client.post("40\u{1e}42[\"echo\",1]\u{1e}40\u{1e}42[\"echo\",2]").text == "ok")
      await server.journal.wait(for: "left /: parse error")
      let waiting = try await client.get("&sid=\(await client.sid)").text.split(separator: "\u{1e}")
      #expect(waiting.count == 2 && waiting[0].hasPrefix("40{") && waiting[1] == #"42["echo-back",1]"#)
      #expect(try await client.post(#"42["echo",3]"#).text == "ok")
      #expect(try await client.get("&sid=\(await client.sid)").text == "6\u{1e}1")
      #expect(try await client.get("&sid=\(await client.sid)").text == #"{"code":1,"message":"Session ID unknown"}"#)
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("a session whose client does not fetch the end is over in time")
  func abandoned() async throws {
    try await TestServer.with(.changed { $0.pingTimeout = .milliseconds(100) }) { server in
      let client = try await EngineClient(server, .polling)
      _ = try await client.post("40\u{1e}40")
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test(
    "a body over the limit is refused and the session survives; one at the limit passes",
    arguments: TestListener.allCases)
  func sizeLimit(listener: TestListener) async throws {
    try await TestServer.with(.changed { $0.maxHTTPBufferSize = 1000 }, by: listener) { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      #expect(try await client.post(String(repeating: "x", count: 1001)).status == 413)
      let padding = String(repeating: "x", count: 1000 - #"42["echo",""]"#.count)
      #expect(try await client.post(#"42["echo","\#(padding)"]"#).status == 200)
      #expect(try await client.text() == #"42["echo-back","\#(padding)"]"#)
    }
  }

  @Test("binary content ends a revision 4 session; other methods do not")
  func contentTypes() async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      let target = "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)"
      #expect(try await server.wire().request("PUT", target, body: []).status == 405)
      let answer = try await server.wire().request(
        "POST", target, headers: [("Content-Type", "application/octet-stream")], body: [0x34])
      #expect(answer.status == 400 && answer.body.isEmpty)
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("a second GET ends the session: the first is answered with a close packet, it with 400")
  func overlappingPolls() async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, .polling)
      let target = "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)"
      let first = try await server.wire()
      try await first.sendRequest("GET", target)
      let second = try await server.wire()
      try await second.sendRequest("GET", target)
      let answers = [try await first.readAnswer(), try await second.readAnswer()].sorted { $0.status < $1.status }
      #expect(answers[0].status == 200 && answers[0].text == "1")
      #expect(answers[1].status == 400 && answers[1].body.isEmpty)
    }
  }

  @Test("a second POST while one is read ends the session")
  func overlappingPosts() async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      let target = "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)"
      let first = try await server.wire()
      try await first.send(
        Array("POST \(target) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n".utf8))
      #expect(try await first.readLine() == "HTTP/1.1 100 Continue")
      // The interim answer is sent before the POST reaches the session, so send requests on the same loop until the session counts the
      // POST.
      var status = 200
      while status == 200 { status = try await client.post("3").status }
      #expect(status == 400)
      await server.journal.wait(for: "left /: transport error")
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("a close packet answers the waiting GET with a noop")
  func closePacket() async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      let poll = try await server.wire()
      try await poll.sendRequest("GET", "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)")
      try await client.send(#"42["join","r"]"#)
      #expect(try await client.post("1").text == "ok")
      let answer = try await poll.readAnswer()
      #expect(answer.text == "6" || answer.status == 400)
      await server.journal.wait(for: "left /: transport close")
    }
  }

  @Test("a GET whose connection is cut ends the session", arguments: [true, false], TestListener.allCases)
  func abortedPoll(halfClosed: Bool, listener: TestListener) async throws {
    try await TestServer.with(by: listener) { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      let wire = try await server.wire()
      try await wire.sendRequest("GET", "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)")
      if halfClosed { wire.finish() } else { wire.abort() }
      await server.journal.wait(for: "left /: transport close")
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test(
    "a keep-alive connection carries many polls; its end after an answer ends nothing",
    arguments: TestListener.allCases)
  func keepAlive(listener: TestListener) async throws {
    try await TestServer.with(by: listener) { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      let wire = try await server.wire()
      for number in 0..<20 {
        server.server.emit("e", json: Array("\(number)".utf8), to: "/")
        let answer = try await wire.request("GET", "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)")
        #expect(answer.text == #"42["e",\#(number)]"#)
      }
      wire.abort()
      server.server.emit("e", json: Array("20".utf8), to: "/")
      #expect(try await client.text() == #"42["e",20]"#)
    }
  }

  @Test("an answer holds at most sixteen packets")
  func packetsPerAnswer() async throws {
    try await TestServer.with { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      try await client.send(#"421["echo"]"#)
      #expect(try await client.text() == "431[]")
      for number in 0..<40 { server.server.emit("e", json: Array("\(number)".utf8), to: "/") }
      // After the broadcasts on the same loop.
      try await client.send(#"422["echo"]"#)
      var counts: [Int] = []
      while counts.reduce(0, +) < 41 {
        let answer = try await client.get("&sid=\(await client.sid)")
        counts.append(try EnginePayload.decode(answer.body, .v4).count)
      }
      #expect(counts == [16, 16, 9])
    }
  }

  @Test(
    "a client that sends requests and does not read is closed, by one long name or many short ones; one that reads is not"
  )
  func unreadReplies() async throws {
    try await TestServer.with(.changed { $0.maxUnreadReplyBytes = 2000 }) { server in
      let long = try await EngineClient(server, .polling)
      let name = "/" + String(repeating: "x", count: 3000)
      #expect(try await long.post("40\(name),").status == 200)
      #expect(try await long.get("&sid=\(await long.sid)").status == 400)
      let many = try await EngineClient(server, .polling)
      let asked = [String](repeating: "40/unknown,", count: 100).joined(separator: "\u{1e}")
      #expect(try await many.post(asked).status == 200)
      #expect(try await many.get("&sid=\(await many.sid)").status == 400)
      let reader = try await EngineClient(server, .polling)
      for _ in 0..<50 {
        #expect(try await reader.post("40/unknown,").status == 200)
        let answer = try await reader.get("&sid=\(await reader.sid)")
        #expect(String(decoding: answer.body, as: UTF8.self).contains("44/unknown,"))
      }
      #expect(await server.settles(sessions: 1))
    }
  }

  @Test("an application is notified of a socket's end only if it was notified of its joining")
  func unansweredWelcome() async throws {
    try await TestServer.with(.changed { $0.maxUnreadReplyBytes = 2000 }) { server in
      let inside = Mutex<[String: Int]>([:])
      server.server.namespace(
        where: { $0 == "/counted" },
        configure: NamespaceHandlers(
          connected: { socket in inside.withLock { $0[socket.id, default: 0] += 1 } },
          disconnected: { socket, _ in inside.withLock { $0[socket.id, default: 0] -= 1 } }))
      let client = try await EngineClient(server, .polling)
      let asked = [String](repeating: "40/counted,\u{1e}41/counted,", count: 100).joined(separator: "\u{1e}")
      #expect(try await client.post(asked).status == 200)
      #expect(await server.settles(sessions: 0))
      let counts = inside.withLock { Array($0.values) }
      #expect(!counts.isEmpty && counts.allSatisfy { $0 == 0 })
    }
  }

  @Test("packets for a missing poll are limited: the session ends at its outbound limit")
  func outboundLimit() async throws {
    try await TestServer.with(.changed { $0.maxOutboundBytesPerSocket = 10_000 }) { server in
      let client = try await EngineClient(server, .polling)
      try await client.join("/")
      let json = Array("\"\(String(repeating: "x", count: 1000))\"".utf8)
      for _ in 0..<12 { server.server.emit("e", json: json, to: "/") }
      await server.journal.wait(for: "left /: transport error")
      #expect(await server.settles(sessions: 0))
    }
  }
}
