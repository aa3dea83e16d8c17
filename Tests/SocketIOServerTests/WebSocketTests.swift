import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("WebSocket", .timeLimit(.minutes(5)))
struct WebSocketTests {
  private func opened(_ server: TestServer) async throws -> RawWebSocket {
    let webSocket = try await server.webSocket()
    #expect(await webSocket.text()?.contains(#""upgrades":[]"#) == true)
    return webSocket
  }

  private static let violations: [(bytes: [UInt8], code: Int)] = [
    (RawWebSocket.frame(0x81, Array("40".utf8), isMasked: false), 1002),
    (RawWebSocket.frame(0xc1, [0x34]), 1002),
    (RawWebSocket.frame(0x80, [0x34]), 1002),
    (RawWebSocket.frame(0x83, [0x34]), 1002),
    (RawWebSocket.frame(0x8b, []), 1002),
    (RawWebSocket.frame(0x09, []), 1002),
    (RawWebSocket.frame(0x89, [UInt8](repeating: 0, count: 126)), 1002),
    (twoBeginnings, 1002),
    (RawWebSocket.frame(0x88, [3]), 1002),
    (RawWebSocket.frame(0x88, [3, 0xed]), 1002),
    (RawWebSocket.frame(0x81, [0x34, 0xff]), 1007),
    (RawWebSocket.frame(0x81, [0x34, 0xed, 0xa0, 0x80]), 1007),
    (RawWebSocket.frame(0x88, [3, 0xe8, 0xff]), 1007),
    ([0x81, 0xff, 0, 0, 0, 0, 0, 0x0f, 0x42, 0x41, 1, 2, 3, 4], 1009),
    ([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4], 1009),
  ]

  private static let twoBeginnings = RawWebSocket.frame(0x01, [0x34]) + RawWebSocket.frame(0x81, [0x34])

  @Test("violations of RFC 6455 close with their code", arguments: violations)
  func breaks(bytes: [UInt8], code: Int) async throws {
    try await TestServer.with { server in
      let webSocket = try await opened(server)
      try await webSocket.wire.send(bytes)
      #expect(await webSocket.next() == .close(code))
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("a stream of frames cut at any place gives the same messages")
  func everyCut() async throws {
    try await TestServer.with { server in
      let end = "\(String(repeating: "é", count: 80))\"]"
      var stream = RawWebSocket.frame(0x81, Array("40".utf8))
      stream += RawWebSocket.frame(0x01, Array(#"421["ec"#.utf8))
      stream += RawWebSocket.frame(0x89, [7])
      stream += RawWebSocket.frame(0x00, Array(#"ho",""#.utf8))
      stream += RawWebSocket.frame(0x80, Array(end.utf8))
      for cut in stride(from: 1, to: stream.count, by: 3) {
        let webSocket = try await opened(server)
        try await webSocket.wire.send(Array(stream[..<cut]))
        try await webSocket.wire.send(Array(stream[cut...]))
        #expect(await webSocket.text()?.hasPrefix("40") == true)
        #expect(await webSocket.next() == .pong([7]))
        #expect(await webSocket.text() == #"431["\#(String(repeating: "é", count: 80))"]"#)
        webSocket.wire.abort()
      }
    }
  }

  @Test("frames may arrive byte by byte")
  func byteByByte() async throws {
    try await TestServer.with { server in
      let webSocket = try await opened(server)
      for byte in RawWebSocket.frame(0x81, Array("40".utf8)) { try await webSocket.wire.send([byte]) }
      #expect(await webSocket.text()?.hasPrefix("40{") == true)
    }
  }

  @Test("a message of exactly the limit passes, in fragments too; one byte more does not")
  func sizeLimit() async throws {
    try await TestServer.with(.changed { $0.maxHTTPBufferSize = 1000 }) { server in
      let webSocket = try await opened(server)
      try await webSocket.send("40")
      _ = await webSocket.text()
      let message = #"42["echo",""#
      let whole = Array("\(message)\(String(repeating: "x", count: 998 - message.count))\"]".utf8)
      try await webSocket.sendFrame(0x81, whole)
      #expect(await webSocket.text()?.hasPrefix(#"42["echo-back","xxx"#) == true)
      try await webSocket.sendFrame(0x01, Array(whole[..<500]))
      try await webSocket.sendFrame(0x80, Array(whole[500...]))
      #expect(await webSocket.text()?.hasPrefix(#"42["echo-back","xxx"#) == true)
      try await webSocket.sendFrame(0x01, Array(whole[..<500]))
      try await webSocket.sendFrame(0x80, Array(whole[499...]))
      #expect(await webSocket.next() == .close(1009))
    }
  }

  @Test("a close frame is answered with its code, and the connection ends", arguments: [1000, 4000])
  func closeFrame(code: Int) async throws {
    try await TestServer.with { server in
      let webSocket = try await opened(server)
      try await webSocket.send("40")
      _ = await webSocket.text()
      try await webSocket.sendFrame(0x88, [UInt8(code >> 8), UInt8(code & 0xff)] + Array("bye".utf8))
      #expect(await webSocket.next() == .close(code))
      #expect(await webSocket.next() == .end)
      await server.journal.wait(for: "left /: transport close")
    }
  }

  @Test("invalid Engine.IO packets close without a code", arguments: ["7", "abc", "", "2", "2probe", "4"])
  func badPackets(packet: String) async throws {
    try await TestServer.with { server in
      let webSocket = try await opened(server)
      try await webSocket.send(packet)
      #expect(await webSocket.next() == .close(nil))
    }
  }

  @Test("packets without effect change nothing", arguments: ["3", "0", "5", "6"])
  func idlePackets(packet: String) async throws {
    try await TestServer.with { server in
      let webSocket = try await opened(server)
      try await webSocket.send(packet)
      try await webSocket.send("40")
      #expect(await webSocket.text()?.hasPrefix("40{") == true)
    }
  }

  @Test("a close packet ends the session at once")
  func closePacket() async throws {
    try await TestServer.with { server in
      let webSocket = try await opened(server)
      try await webSocket.send("1")
      #expect(await webSocket.next() == .close(nil))
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("an offered extension or subprotocol is not accepted")
  func extensions() async throws {
    try await TestServer.with { server in
      let wire = try await server.wire()
      let answer = try await wire.request(
        "GET", "/socket.io/?EIO=4&transport=websocket",
        headers: [
          ("Connection", "keep-alive, Upgrade"), ("Upgrade", "WebSocket"), ("Sec-WebSocket-Version", "13"),
          ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Protocol", "chat"),
          ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits"),
        ])
      #expect(answer.status == 101)
      #expect(answer.headers["sec-websocket-extensions"] == nil && answer.headers["sec-websocket-protocol"] == nil)
    }
  }

  @Test("a connection that has carried requests can still become a WebSocket")
  func upgradeAfterRequests() async throws {
    try await TestServer.with { server in
      let wire = try await server.wire()
      for _ in 0..<3 { #expect(try await wire.request("GET", "/other").text == "none") }
      let webSocket = try await RawWebSocket(wire: wire).opened("/socket.io/?EIO=4&transport=websocket")
      #expect(await webSocket.text()?.hasPrefix("0{") == true)
      try await webSocket.send("40")
      #expect(await webSocket.text()?.hasPrefix("40{") == true)
    }
  }

  @Test("a client that reads late, but before its limit, gets everything whole and in order")
  func lateReader() async throws {
    try await TestServer.with(.changed { $0.maxOutboundBytesPerSocket = 100_000_000 }) { server in
      let late = try await EngineClient(server, .webSocket)
      let quick = try await EngineClient(server, .webSocket)
      try await late.join("/open")
      try await quick.join("/open")
      let lateWire = try #require(await late.webSocket).wire
      try await lateWire.stopReading()
      let filler = String(repeating: "x", count: 50_000)
      func packet(_ number: Int) -> String { #"42/open,["e","\#(number)\#(filler)"]"# }
      // More than the kernel buffers of both sides hold. The reading client awaits each event, so the late client's events are given to the
      // kernel one by one, until it accepts only a part of one and then none.
      for number in 0..<300 {
        server.server.emit("e", json: Array("\"\(number)\(filler)\"".utf8), to: "/open")
        #expect(try await quick.text() == packet(number))
      }
      try await lateWire.resumeReading()
      for number in 0..<300 { #expect(try await late.text() == packet(number)) }
      // Nothing waits any longer, so new output goes to the kernel at once again.
      server.server.emit("e", json: Array("1".utf8), to: "/open")
      #expect(try await late.text() == #"42/open,["e",1]"#)
    }
  }

  @Test("a client that does not read is closed at its limit, and others notice nothing")
  func slowConsumer() async throws {
    try await TestServer.with(.changed { $0.maxOutboundBytesPerSocket = 100_000 }) { server in
      let slow = try await EngineClient(server, .webSocket)
      let quick = try await EngineClient(server, .webSocket)
      try await slow.join("/open-slow")
      try await slow.join("/open")
      try await quick.join("/open")
      let slowWire = try #require(await slow.webSocket).wire
      try await slowWire.stopReading()
      let json = Array("\"\(String(repeating: "x", count: 20_000))\"".utf8)
      // More than the kernel buffers of both sides hold. The reading client awaits each event.
      var sent = 0
      while server.server.hasSockets(in: "/open-slow"), sent < 5000 {
        server.server.emit("e", json: json, to: "/open")
        sent += 1
        #expect(try await quick.text()?.count == json.count + 14)
      }
      #expect(!server.server.hasSockets(in: "/open-slow"))
      #expect(await server.settles(.init(sessions: 1, sockets: 1, namespaces: 1)))
    }
  }
}
