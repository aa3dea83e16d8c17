import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Upgrade to WebSocket", .timeLimit(.minutes(5)))
struct UpgradeTests {
  private func upgrading(_ server: TestServer) async throws -> (EngineClient, RawWebSocket) {
    let client = try await EngineClient(server, .polling)
    try await client.join("/")
    return (client, try await server.webSocket("EIO=4&transport=websocket&sid=\(await client.sid)"))
  }

  @Test(
    "the probe releases the waiting GET, later GETs are noops, and the socket continues over the WebSocket",
    arguments: TestListener.allCases)
  func upgrade(listener: TestListener) async throws {
    try await TestServer.with(by: listener) { server in
      let (client, webSocket) = try await upgrading(server)
      let poll = try await server.wire()
      try await poll.sendRequest("GET", "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)")
      try await webSocket.send("2probe")
      #expect(await webSocket.text() == "3probe")
      #expect(try await poll.readAnswer().text == "6")
      #expect(try await client.get("&sid=\(await client.sid)").text == "6")
      #expect(try await client.post("6").text == "ok")
      server.server.emit("e", json: Array("1".utf8), to: "/")
      try await webSocket.send("5")
      #expect(await webSocket.text() == #"42["e",1]"#)
      try await webSocket.send(#"42["echo",2]"#)
      #expect(await webSocket.text() == #"42["echo-back",2]"#)
      #expect(try await client.get("&sid=\(await client.sid)").text == #"{"code":3,"message":"Bad request"}"#)
      #expect(try await client.post("3").text == "ok")
    }
  }

  @Test("a GET that waits during the upgrade is answered at once when there is a packet")
  func eventDuringUpgrade() async throws {
    try await TestServer.with(.changed { $0.upgradeNoopInterval = .seconds(600) }) { server in
      let (client, webSocket) = try await upgrading(server)
      try await webSocket.send("2probe")
      #expect(await webSocket.text() == "3probe")
      let poll = try await server.wire()
      try await poll.sendRequest("GET", "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)")
      server.server.emit("e", json: Array("1".utf8), to: "/")
      #expect(try await poll.readAnswer().text == #"42["e",1]"#)
    }
  }

  @Test("no broadcast is lost or repeated or reordered while clients upgrade")
  func broadcastsDuringUpgrade() async throws {
    try await TestServer.with { server in
      let (client, webSocket) = try await upgrading(server)
      let emitting = Task {
        for number in 0..<2000 {
          server.server.emit("n", json: Array("\(number)".utf8), to: "/")
          if number % 50 == 0 { await Task.yield() }
        }
      }
      try await webSocket.send("2probe")
      #expect(await webSocket.text() == "3probe")
      try await webSocket.send("5")
      for number in 0..<2000 {
        let text = await webSocket.text()
        guard text == #"42["n",\#(number)]"# else {
          Issue.record("expected \(number), got \(text ?? "the end")")
          break
        }
      }
      await emitting.value
      _ = client
    }
  }

  @Test("an upgrade needs no probe")
  func withoutProbe() async throws {
    try await TestServer.with { server in
      let (_, webSocket) = try await upgrading(server)
      try await webSocket.send("5")
      try await webSocket.send(#"421["echo"]"#)
      #expect(await webSocket.text() == "431[]")
    }
  }

  @Test(
    "another packet before the upgrade closes the WebSocket, not the session", arguments: ["42[\"echo\"]", "2", "x"])
  func spoiled(packet: String) async throws {
    try await TestServer.with { server in
      let (client, webSocket) = try await upgrading(server)
      try await webSocket.send(packet)
      #expect(await webSocket.next() == .close(nil))
      try await client.send(#"421["echo"]"#)
      #expect(try await client.text() == "431[]")
    }
  }

  @Test("a WebSocket dropped before the upgrade leaves polling as it was, and another may try")
  func dropped() async throws {
    try await TestServer.with { server in
      let (client, webSocket) = try await upgrading(server)
      try await webSocket.send("2probe")
      #expect(await webSocket.text() == "3probe")
      webSocket.wire.abort()
      try await client.send(#"421["echo"]"#)
      var text: String?
      repeat { text = try await client.text() } while text == "6"
      #expect(text == "431[]")
      let again = try await server.webSocket("EIO=4&transport=websocket&sid=\(await client.sid)")
      try await again.send("2probe")
      #expect(await again.text() == "3probe")
    }
  }

  @Test("a second WebSocket is closed, and the first is not affected", arguments: [true, false])
  func second(afterUpgrade: Bool) async throws {
    try await TestServer.with { server in
      let (client, webSocket) = try await upgrading(server)
      try await webSocket.send("2probe")
      #expect(await webSocket.text() == "3probe")
      if afterUpgrade {
        try await webSocket.send("5")
        try await webSocket.send(#"421["echo"]"#)
        #expect(await webSocket.text() == "431[]")
      }
      let second = try await server.webSocket("EIO=4&transport=websocket&sid=\(await client.sid)")
      #expect(await second.next() == .close(nil))
      if !afterUpgrade { try await webSocket.send("5") }
      try await webSocket.send(#"422["echo"]"#)
      #expect(await webSocket.text() == "432[]")
    }
  }

  @Test("an upgrade that is not finished in time is closed, and polling continues")
  func timeout() async throws {
    try await TestServer.with(.changed { $0.upgradeTimeout = .milliseconds(100) }) { server in
      let (client, webSocket) = try await upgrading(server)
      #expect(await webSocket.next() == .close(nil))
      try await client.send(#"421["echo"]"#)
      #expect(try await client.text() == "431[]")
    }
  }

  @Test("base64 text on a WebSocket is an attachment")
  func base64Text() async throws {
    try await TestServer.with { server in
      let webSocket = try await server.webSocket()
      _ = await webSocket.text()
      try await webSocket.send("40")
      _ = await webSocket.text()
      try await webSocket.send(#"451-3["echo",{"_placeholder":true,"num":0}]"#)
      try await webSocket.send("bAQIDBA==")
      #expect(await webSocket.text() == #"461-3[{"_placeholder":true,"num":0}]"#)
      #expect(await webSocket.next() == .binary([1, 2, 3, 4]))
    }
  }
}
