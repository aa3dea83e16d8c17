import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Engine.IO 3 clients", .timeLimit(.minutes(5)))
struct EngineRevision3Tests {
  @Test("a WebSocket client joins the main namespace automatically, and pings", arguments: ["EIO=3&", ""])
  func webSocket(query: String) async throws {
    try await TestServer.with { server in
      let webSocket = try await server.webSocket("\(query)transport=websocket")
      #expect(await webSocket.text()?.hasPrefix("0{") == true)
      #expect(await webSocket.text() == "40")
      try await webSocket.send("2")
      #expect(await webSocket.text() == "3")
      try await webSocket.send("40/open?token=1,")
      #expect(await webSocket.text() == "40/open,")
      try await webSocket.send("40/guarded?token=x,")
      #expect(await webSocket.text() == #"44/guarded,{"code":1}"#)
      try await webSocket.send("40/nope,")
      #expect(await webSocket.text() == #"44/nope,"Invalid namespace""#)
      try await webSocket.send(#"451-/open,1["echo",{"_placeholder":true,"num":0}]"#)
      try await webSocket.send(binary: [4, 9, 8])
      #expect(await webSocket.text() == #"461-/open,1[{"_placeholder":true,"num":0}]"#)
      #expect(await webSocket.next() == .binary([4, 9, 8]))
    }
  }

  @Test("a silent client is closed after interval and timeout")
  func silence() async throws {
    try await TestServer.with(
      .changed {
        $0.pingInterval = .milliseconds(50)
        $0.pingTimeout = .milliseconds(50)
      }
    ) { server in
      let webSocket = try await server.webSocket("EIO=3&transport=websocket")
      _ = await webSocket.text()
      #expect(await webSocket.text() == "40")
      #expect(await webSocket.next() == .close(nil))
      await server.journal.wait(for: "left /: ping timeout")
    }
  }

  @Test("a polling client gets length-prefixed payloads, binary ones if it accepts them", arguments: [true, false])
  func polling(takesBinary: Bool) async throws {
    try await TestServer.with { server in
      let base = "/socket.io/?EIO=3&transport=polling\(takesBinary ? "" : "&b64=1")"
      let wire = try await server.wire()
      let opening = try EnginePayload.decode(try await wire.request("GET", base).body, .v3)
      let sid = try EngineOpen(data: opening[0].data).sid
      let target = "\(base)&sid=\(sid)"
      #expect(try await wire.request("GET", target).text == "2:40")
      let event = EnginePacket(.message, Array(#"51-["echo","é😀",{"_placeholder":true,"num":0}]"#.utf8))
      let packets = [EnginePacket(.ping), event, EnginePacket(binary: [1, 255])]
      let answer =
        takesBinary
        ? try await wire.request(
          "POST", target, headers: [("Content-Type", "application/octet-stream")],
          body: EnginePayload.encodeBinary(packets))
        : try await wire.request("POST", target, body: EnginePayload.encode(packets, .v3))
      #expect(answer.text == "ok")
      let polled = try await wire.request("GET", target)
      let back = takesBinary ? try EnginePayload.decodeBinary(polled.body) : try EnginePayload.decode(polled.body, .v3)
      #expect(
        polled.headers["content-type"]?.hasPrefix(takesBinary ? "application/octet-stream" : "text/plain") == true)
      #expect(back.map(\.kind) == [.pong, .message, .message])
      #expect(back[1].data == Array(#"51-["echo-back","é😀",{"_placeholder":true,"num":0}]"#.utf8))
      #expect(back[2] == EnginePacket(binary: [1, 255]))
    }
  }
}

@Suite("A bare Engine.IO server", .timeLimit(.minutes(5)))
struct EngineOnlyTests {
  @Test("messages come back as they were sent", arguments: Carrier.allCases)
  func echo(carrier: Carrier) async throws {
    try await TestServer.with(engineOnly: true) { server in
      let client = try await EngineClient(server, carrier)
      try await client.send("4hello", "bAQIDBA==")
      #expect(try await client.text() == "4hello")
      #expect(try await client.packet() == EnginePacket(binary: [1, 2, 3, 4]))
    }
  }
}
