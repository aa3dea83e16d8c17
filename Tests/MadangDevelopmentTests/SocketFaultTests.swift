import Foundation
import MadangAPI
import MadangDevelopment
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("Faults of sockets, on the wire", .timeLimit(.minutes(5)))
struct SocketFaultTests {
  /// A rule for the first chat that is delivered.
  private func onFirstChat(_ effect: FaultEffect) -> FaultRule {
    FaultRule(
      effect,
      match: FaultMatch {
        $0.event = "channel"
        $0.direction = "toClient"
        $0.nth = 1
      })
  }

  /// What a client in the channel gets, if the telling of the first of some chats is disturbed.
  private func told(
    _ effect: FaultEffect, _ carrier: Carrier, chats: Int = 2,
    _ check: @escaping @Sendable (_ scene: FaultScene, _ client: EngineClient, _ told: [String]) async throws -> Void
  ) async throws {
    try await FaultScene.run { (scene) async throws in
      let client = try await scene.joined(carrier)
      let id = try await scene.kit.faults.add(onFirstChat(effect))
      var packets: [String] = []
      for number in 0..<chats { packets.append(try await scene.said("chat \(number)")) }
      #expect(try await World.eventually { scene.applied(id) == 1 })
      try await check(scene, client, packets)
      #expect(scene.applied(id) == 1)
      await client.abort()
    }
  }

  /// What a client gets of two chats, if the telling of the first is disturbed.
  private func gets(
    _ effect: FaultEffect, _ carrier: Carrier, _ expected: @escaping @Sendable (_ told: [String]) -> [String]
  ) async throws {
    try await told(effect, carrier) { (_, client, told) async throws in
      for text in expected(told) { #expect(try await client.text() == text, "\(effect)") }
    }
  }

  @Test("packets are dropped, doubled, delayed, reordered and truncated", arguments: Carrier.allCases)
  func packets(_ carrier: Carrier) async throws {
    try await gets(FaultEffect(.drop), carrier) { [$0[1]] }
    try await gets(FaultEffect(.duplicate) { $0.count = 2 }, carrier) { [$0[0], $0[0], $0[0], $0[1]] }
    try await gets(FaultEffect(.reorder) { $0.milliseconds = 30_000 }, carrier) { [$0[1], $0[0]] }
    try await gets(FaultEffect(.truncate) { $0.bytes = 25 }, carrier) { [String($0[0].prefix(25)), $0[1]] }
    try await gets(FaultEffect(.delay) { $0.milliseconds = 400 }, carrier) { $0 }
    let overtaken = FaultEffect(.delay) {
      $0.milliseconds = 20_000
      $0.overtaken = true
    }
    try await gets(overtaken, carrier) { [$0[1], $0[0]] }
  }

  @Test("a packet without a successor is held back no longer than the rule says", arguments: Carrier.allCases)
  func heldBackAlone(_ carrier: Carrier) async throws {
    try await told(FaultEffect(.reorder) { $0.milliseconds = 50 }, carrier, chats: 1) {
      (_, client, told) async throws in
      #expect(try await client.text() == told[0])
    }
  }

  @Test("late packets are limited: a client for which too many wait is closed")
  func bounded() async throws {
    try await FaultScene.run { (scene) async throws in
      let client = try await scene.joined(.webSocket)
      let late = FaultEffect(.delay) { $0.milliseconds = 600_000 }
      try await scene.kit.faults.add(FaultRule(late, match: FaultMatch { $0.direction = "fromClient" }))
      let text = #"42\#(scene.namespace),["say","\#(String(repeating: "a", count: 900_000))"]"#
      for _ in 0..<3 { try await client.send(text) }
      let webSocket = try #require(await client.webSocket)
      #expect(await webSocket.next() == .close(nil))
    }
  }

  @Test("a connection is closed with a code, reset, or loses its namespace", arguments: Carrier.allCases)
  func endings(_ carrier: Carrier) async throws {
    try await told(FaultEffect(.close) { $0.closeCode = 1013 }, carrier, chats: 1) { (_, client, _) async throws in
      if let webSocket = await client.webSocket {
        #expect(await webSocket.next() == .close(1013))
      } else {
        #expect(try await client.get("&sid=\(await client.sid)").status == 400, "its session is gone")
      }
    }
    try await told(FaultEffect(.disconnectNamespace), carrier) { (scene, client, _) async throws in
      #expect(try await client.text() == "41\(scene.namespace),")
      #expect(try await client.join(scene.namespace, auth: scene.auth)?.hasPrefix("40\(scene.namespace),") == true)
    }
    try await told(FaultEffect(.resetSocket), carrier, chats: 1) { (_, client, _) async throws in
      if let webSocket = await client.webSocket {
        #expect(await webSocket.next() == .end)
        #expect(await webSocket.wire.wasReset)
      } else {
        #expect(try await client.get("&sid=\(await client.sid)").status == 400, "its session is gone")
      }
    }
  }

  @Test("a half-open socket gets no more packets and is not closed", arguments: Carrier.allCases)
  func silence(_ carrier: Carrier) async throws {
    try await told(FaultEffect(.silence), carrier) { (scene, client, _) async throws in
      let port = try scene.port
      if let webSocket = await client.webSocket {
        try await webSocket.sendFrame(0x89, [])
        try await webSocket.send("40\(scene.namespace),\(scene.auth)")
        #expect(await nothing(from: webSocket.wire))
      } else {
        let wire = try await Wire.connect(port)
        try await wire.sendRequest("GET", "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)")
        #expect(await nothing(from: wire))
        wire.abort()
      }
    }
  }

  @Test("pings and pongs stop while chats still arrive", arguments: Carrier.allCases)
  func noPong(_ carrier: Carrier) async throws {
    try await FaultScene.run(pings: (1, 10)) { (scene) async throws in
      let id = try await scene.kit.faults.add(FaultRule(FaultEffect(.noPong)))
      let client = try await scene.joined(carrier)
      #expect(scene.applied(id) ?? 0 > 0)
      // Longer than the server would wait for a pong.
      try await Task.sleep(for: .seconds(12))
      if let webSocket = await client.webSocket { try await webSocket.sendFrame(0x89, []) }
      let told = try await scene.said("said")
      if let webSocket = await client.webSocket {
        #expect(await webSocket.next() == .text(told))
      } else {
        #expect(try await client.get("&sid=\(await client.sid)").text == told)
      }
      await client.abort()
    }
  }

  @Test("upgrades and WebSockets are refused while long-polling continues")
  func refusedUpgrade() async throws {
    try await FaultScene.run { (scene) async throws in
      try await scene.kit.faults.add(FaultRule(FaultEffect(.refuseUpgrade) { $0.status = 501 }))
      let client = try await scene.joined(.polling)
      let path = "/socket.io/?EIO=4&transport=websocket"
      for target in [path, "\(path)&sid=\(await client.sid)"] {
        let wire = try await Wire.connect(scene.port)
        try await wire.sendRequest("GET", target, headers: RawWebSocket.handshakeFields)
        let answer = RawAnswer(bytes: await wire.readToEnd(), wasReset: await wire.wasReset)
        #expect(answer.head.first == "HTTP/1.1 501 Not Implemented")
        #expect(answer.body == [])
      }
      let told = try await scene.said("said")
      #expect(try await client.text() == told)
    }
  }

  @Test("a connect to a namespace is refused", arguments: Carrier.allCases)
  func refusedNamespace(_ carrier: Carrier) async throws {
    try await FaultScene.run { (scene) async throws in
      try await scene.kit.faults.add(
        FaultRule(
          FaultEffect(.refuseNamespace) { $0.message = "E05" },
          match: FaultMatch {
            $0.namespace = "/ws-channel-*"
            $0.times = 1
          }))
      let client = try await EngineClient(port: scene.port, carrier)
      let refusal = try await client.join(scene.namespace, auth: scene.auth)
      #expect(refusal == #"44\#(scene.namespace),{"message":"E05"}"#)
      let joined = try await client.join(scene.namespace, auth: scene.auth)
      #expect(joined?.hasPrefix("40\(scene.namespace),{\"sid\":") == true)
      await client.abort()
    }
  }

  @Test("packets are matched by the account that the socket was admitted for", arguments: TestEngine.available)
  func account(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine) { (scene) async throws in
      let joon = try await scene.world.signUp("Joon")
      try await scene.mina.invite(joon, to: scene.workspace)
      _ = try await joon.get("\(scene.room)/chats")
      let minas = try await scene.joined(.webSocket)
      let joons = try await EngineClient(port: scene.port, .webSocket)
      let auth = #"{"SesacKey":"\#(DevelopmentKey.october2024)","token":"\#(joon.token)"}"#
      #expect(try await joons.join(scene.namespace, auth: auth)?.hasPrefix("40") == true)
      try await scene.kit.faults.add(
        FaultRule(
          FaultEffect(.drop),
          match: FaultMatch {
            $0.account = "Mina@example.com"
            $0.event = "channel"
            $0.nth = 1
          }))
      let told = [try await scene.said("first"), try await scene.said("second")]
      for text in told { #expect(try await joons.text() == text) }
      #expect(try await minas.text() == told[1])
      await minas.abort()
      await joons.abort()
    }
  }

  /// Whether a connection stays open for a while and says nothing. It is of no more use then.
  private func nothing(from wire: Wire) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        _ = try? await wire.read(1)
        return false
      }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(500))
        return true
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}
