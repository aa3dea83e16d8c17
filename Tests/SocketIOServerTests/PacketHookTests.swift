import HTTPTypes
import NIOCore
import SocketIOProtocol
import SocketIOSupport
import Synchronization
import Testing

@testable import SocketIOServer

@Suite("Packet hook", .timeLimit(.minutes(5)))
struct PacketHookTests {
  /// What a hook does to a packet that it takes over.
  typealias Action = @Sendable (TravellingPacket) -> Void

  /// A server that does something to packets whose text ends with a suffix, and a client that has joined its main namespace.
  private func disturbing(
    _ direction: TravellingPacket.Direction, _ ending: String, _ carrier: Carrier,
    _ configuration: SocketIOServer.Configuration = .changed { _ in }, with action: @escaping Action,
    _ body: (TestServer, EngineClient) async throws -> Void
  ) async throws {
    try await TestServer.with(configuration, packetHook: .on(direction, ending, action)) { server in
      let client = try await EngineClient(server, carrier)
      try await client.join("/")
      try await body(server, client)
      await client.abort()
    }
  }

  /// A server that pings often, and waits for the answer longer than a machine stands still.
  private static let pinging = SocketIOServer.Configuration.changed {
    ($0.pingInterval, $0.pingTimeout) = (.milliseconds(200), .seconds(30))
  }
  private static let longerThanTimeout = Duration.seconds(31)

  private func echo(_ number: Int) -> String { #"42["echo",\#(number)]"# }
  private func echoed(_ number: Int) -> String { #"42["echo-back",\#(number)]"# }

  @Test("packets to a client are lost, doubled and changed", arguments: Carrier.allCases)
  func toClient(_ carrier: Carrier) async throws {
    let cases: [(Action, [String])] = [
      ({ _ in }, [echoed(2)]),
      ({ packet in for _ in 0..<3 { packet.deliver() } }, [echoed(1), echoed(1), echoed(1), echoed(2)]),
      ({ $0.deliver(Array("42[\"echo".utf8)) }, ["42[\"echo", echoed(2)]),
      ({ $0.deliver(Array("4".utf8)) }, ["4", echoed(2)]),
    ]
    for (number, (action, expected)) in cases.enumerated() {
      try await disturbing(.toClient, #"back",1]"#, carrier, with: action) { _, client in
        try await client.send(echo(1), echo(2))
        for text in expected { #expect(try await client.text() == text, "case \(number)") }
      }
    }
  }

  @Test("packets of a client are lost, doubled and changed", arguments: Carrier.allCases)
  func fromClient(_ carrier: Carrier) async throws {
    let changed = Array(echo(7).utf8)
    let cases: [(Action, [String])] = [
      ({ _ in }, [echoed(2)]),
      ({ packet in for _ in 0..<2 { packet.deliver() } }, [echoed(1), echoed(1), echoed(2)]),
      ({ $0.deliver(changed) }, [echoed(7), echoed(2)]),
    ]
    for (number, (action, expected)) in cases.enumerated() {
      try await disturbing(.fromClient, #"echo",1]"#, carrier, with: action) { _, client in
        try await client.send(echo(1), echo(2))
        for text in expected { #expect(try await client.text() == text, "case \(number)") }
      }
    }
  }

  @Test(
    "a packet that is delivered late arrives behind the next one",
    arguments: [TravellingPacket.Direction.toClient, .fromClient], Carrier.allCases)
  func late(_ direction: TravellingPacket.Direction, _ carrier: Carrier) async throws {
    let last = Mutex<TravellingPacket?>(nil)
    let action: Action = { packet in
      let earlier = last.withLock { last in
        defer { last = packet }
        return last
      }
      // The first packet waits for the second one, not for a time: then its order does not depend on the machine.
      guard let earlier else { return }
      packet.deliver()
      packet.loop.execute { earlier.deliver() }
    }
    // Both events, and no other packet.
    try await disturbing(direction, "]", carrier, with: action) { _, client in
      try await client.send(echo(1), echo(2))
      for number in [2, 1] { #expect(try await client.text() == echoed(number)) }
    }
  }

  @Test("a packet that is delivered after its session's end has no effect", arguments: Carrier.allCases)
  func tooLate(_ carrier: Carrier) async throws {
    let taken = Mutex<[TravellingPacket]>([])
    let action: Action = { packet in taken.withLock { $0.append(packet) } }
    try await disturbing(.fromClient, #"echo",1]"#, carrier, with: action) {
      server, client in
      try await client.send(echo(1))
      while taken.withLock(\.isEmpty) { try await Task.sleep(for: .milliseconds(5)) }
      await server.server.dropConnections()
      #expect(await server.settles(sessions: 0))
      let first = taken.withLock(\.first)
      let packet = try #require(first)
      _ = try await packet.loop.submit {
        packet.deliver()
        packet.close(code: nil)
      }.get()
      #expect(server.server.stats.sessions == 0)
    }
  }

  @Test("client input that becomes an invalid packet ends its session", arguments: Carrier.allCases)
  func garbage(_ carrier: Carrier) async throws {
    let action: Action = { $0.deliver([]) }
    try await disturbing(.fromClient, #"echo",1]"#, carrier, with: action) { server, client in
      try await client.send(echo(1))
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("a namespace is refused, and may be joined at the next request", arguments: Carrier.allCases)
  func refusedNamespace(_ carrier: Carrier) async throws {
    let first = Mutex(true)
    let hook = SocketIOServer.PacketHook(packet: { packet in
      guard packet.direction == .fromClient, packet.kept.socketPacket?.namespace == "/open" else { return false }
      let isFirst = first.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if isFirst { packet.refuse(message: "not now") }
      return isFirst
    })
    try await TestServer.with(packetHook: hook) { server in
      let client = try await EngineClient(server, carrier)
      #expect(try await client.join("/open") == #"44/open,{"message":"not now"}"#)
      #expect(try await client.join("/open")?.hasPrefix(#"40/open,{"sid":"#) == true)
      await client.abort()
    }
  }

  @Test("a client is removed from a namespace, and stays connected", arguments: Carrier.allCases)
  func disconnectedNamespace(_ carrier: Carrier) async throws {
    let action: Action = { $0.disconnect() }
    try await disturbing(.toClient, #"back",1]"#, carrier, with: action) { server, client in
      try await client.send(echo(1))
      #expect(try await client.text() == "41")
      await server.journal.wait(for: "left /: server namespace disconnect")
      #expect(try await client.join("/")?.hasPrefix("40{") == true)
      try await client.send(echo(2))
      #expect(try await client.text() == echoed(2))
    }
  }

  @Test("a session is closed with a code", arguments: Carrier.allCases)
  func closed(_ carrier: Carrier) async throws {
    let action: Action = { $0.close(code: 4001) }
    try await disturbing(.toClient, #"back",1]"#, carrier, with: action) { server, client in
      let ear = try await client.listening(to: server)
      try await client.send(echo(1))
      #expect(try await client.lastWord(ear) == (carrier == .polling ? "1" : "close 4001"))
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("a connection is reset", arguments: Carrier.allCases)
  func reset(_ carrier: Carrier) async throws {
    let action: Action = { $0.reset() }
    try await disturbing(.toClient, #"back",1]"#, carrier, with: action) { server, client in
      let ear = try await client.listening(to: server)
      try await client.send(echo(1))
      #expect(try await client.lastWord(ear) == "reset")
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test(
    "a silent session reads, writes and times out nothing, and ends with its connection",
    arguments: Carrier.allCases)
  func silence(_ carrier: Carrier) async throws {
    let (silence, falls) = AsyncStream.makeStream(of: Void.self)
    let action: Action = { packet in
      packet.fallSilent()
      falls.yield()
    }
    // With the first packet, so that the client's speed in answering pings does not matter.
    try await TestServer.with(Self.pinging, packetHook: .on(.fromClient, "40", action)) { server in
      let client = try await EngineClient(server, carrier)
      // Its answer is the same as that of an active session.
      let sending = Task { try await client.send("40") }
      _ = await silence.first { true }
      if let webSocket = await client.webSocket {
        try await sending.value
        try await webSocket.sendFrame(0x89, Array("are you there".utf8))
        while case .text("2") = await webSocket.nextWithin(Self.longerThanTimeout) {}
        #expect(server.server.stats.sessions == 1, "no time-out")
        webSocket.wire.abort()
      } else {
        let waiting = try await Wire.connect(server.port)
        try await waiting.sendRequest("GET", "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)")
        let answer = await within(Self.longerThanTimeout) { try await waiting.read(1) }
        #expect(answer == nil)
        #expect(server.server.stats.sessions == 1, "no time-out")
        waiting.abort()
        sending.cancel()
      }
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("without heartbeat events continue, and no client is closed for it", arguments: Carrier.allCases)
  func heartbeat(_ carrier: Carrier) async throws {
    // From the first packet on, so that the client's speed in answering pings does not matter.
    let action: Action = {
      $0.stopHeartbeat()
      $0.deliver()
    }
    try await disturbing(.fromClient, "40", carrier, Self.pinging, with: action) { server, client in
      try await client.send(echo(1))
      #expect(try await client.textWithoutPing() == echoed(1))
      try await Task.sleep(for: Self.longerThanTimeout)
      #expect(server.server.stats.sessions == 1)
      if let webSocket = await client.webSocket { try await webSocket.sendFrame(0x89, []) }
      try await client.send(echo(2))
      #expect(try await client.textWithoutPing() == echoed(2))
    }
  }

  @Test("an Engine.IO 3 client's pings stay unanswered")
  func revision3Heartbeat() async throws {
    let hook = SocketIOServer.PacketHook.on(.fromClient, "2") {
      $0.stopHeartbeat()
      $0.deliver()
    }
    try await TestServer.with(packetHook: hook) { server in
      let webSocket = try await server.webSocket("EIO=3&transport=websocket")
      _ = await webSocket.text()
      #expect(await webSocket.text() == "40")
      try await webSocket.send("2")
      try await webSocket.send(echo(1))
      #expect(await webSocket.text() == echoed(1))
      try await webSocket.send("2")
      try await webSocket.send(echo(2))
      #expect(await webSocket.text() == echoed(2))
      webSocket.wire.abort()
    }
  }

  @Test("openings are refused and reset")
  func openings() async throws {
    let action = Mutex(SocketIOServer.OpeningAction.refuse(.serviceUnavailable))
    let seen = Mutex<[String]>([])
    let hook = SocketIOServer.PacketHook(opening: { opening in
      seen.withLock { $0.append("\(opening.request.transport) \(opening.upgradedSession ?? "-")") }
      return action.withLock(\.self)
    })
    try await TestServer.with(packetHook: hook) { server in
      let polling = "/socket.io/?EIO=4&transport=polling"
      let webSocket = "/socket.io/?EIO=4&transport=websocket"
      #expect(try await server.wire().request("GET", polling).status == 503)
      #expect(try await RawWebSocket.handshake(server.port, webSocket).status == 503)
      action.withLock { $0 = .reset }
      for (target, headers) in [(polling, []), (webSocket, RawWebSocket.handshakeFields)] {
        let wire = try await server.wire()
        try await wire.sendRequest("GET", target, headers: headers)
        #expect(await wire.readToEnd() == [])
        #expect(await wire.wasReset)
      }
      action.withLock { $0 = .allow }
      let client = try await EngineClient(server, .polling)
      action.withLock { $0 = .refuse(.badRequest) }
      let sid = await client.sid
      #expect(try await RawWebSocket.handshake(server.port, "\(webSocket)&sid=\(sid)").status == 400)
      #expect(seen.withLock(\.self).last == "webSocket \(sid)")
      #expect(try await client.join("/")?.hasPrefix("40{") == true, "polling goes on")
    }
  }

  @Test("events of sessions are reported, and packets may be kept", arguments: Carrier.allCases)
  func news(_ carrier: Carrier) async throws {
    let told = Mutex<[String]>([])
    let kept = Mutex<[KeptPacket]>([])
    let hook = SocketIOServer.PacketHook(
      packet: { packet in
        kept.withLock { $0.append(packet.kept) }
        return false
      },
      session: { news in
        let event = if case .closed(let reason) = news.event { "closed: \(reason.rawValue)" } else { "\(news.event)" }
        told.withLock { $0.append("\(event) \(news.transport) \(news.sessionID)") }
      })
    try await TestServer.with(packetHook: hook) { server in
      let client = try await EngineClient(server, carrier)
      try await client.join("/")
      try await client.send(echo(1))
      #expect(try await client.text() == echoed(1))
      let sid = await client.sid
      try await client.send("1")
      #expect(await server.settles(sessions: 0))
      let first = carrier == .webSocket ? "opened webSocket \(sid)" : "opened polling \(sid)"
      let upgraded = carrier == .upgraded ? ["upgraded webSocket \(sid)"] : []
      let last = "closed: transport close \(carrier == .polling ? "polling" : "webSocket") \(sid)"
      #expect(told.withLock(\.self) == [first] + upgraded + [last])
      let packets = kept.withLock(\.self)
      #expect(packets.contains { String(decoding: $0.bytes, as: UTF8.self) == echo(1) && $0.size == $0.bytes.count })
      #expect(packets.contains { $0.prefix(6) == Array(echoed(1).utf8.prefix(6)) && $0.socketPacket?.kind == .event })
      #expect(packets.allSatisfy { $0.prefix(3) == Array($0.bytes.prefix(3)) })
      await client.abort()
    }
  }

  @Test("all WebSockets and sessions are dropped without notice, and new ones are served")
  func droppedConnections() async throws {
    try await TestServer.with(packetHook: .init()) { server in
      let webSocket = try await EngineClient(server, .webSocket)
      try await webSocket.join("/")
      let polling = try await EngineClient(server, .polling)
      try await polling.join("/")
      await server.server.dropConnections()
      #expect(await webSocket.webSocket?.next() == .end)
      #expect(await server.settles(sessions: 0))
      let again = try await EngineClient(server, .upgraded)
      #expect(try await again.join("/")?.hasPrefix("40{") == true)
      await again.abort()
    }
  }
}

extension SocketIOServer.PacketHook {
  /// Takes over packets in one direction whose text ends with a suffix.
  fileprivate static func on(
    _ direction: TravellingPacket.Direction, _ ending: String, _ action: @escaping PacketHookTests.Action
  ) -> Self {
    .init(packet: { packet in
      let text = String(decoding: packet.kept.bytes, as: UTF8.self)
      guard packet.direction == direction, text.hasSuffix(ending) else { return false }
      action(packet)
      return true
    })
  }
}

extension EngineClient {
  /// The connection on which the client notices the session's end: its WebSocket, or that of a poll which waits at the server.
  fileprivate func listening(to server: TestServer) async throws -> Wire {
    if let webSocket { return webSocket.wire }
    let wire = try await Wire.connect(port)
    try await wire.sendRequest("GET", "/socket.io/?EIO=4&transport=polling&sid=\(sid)")
    while await !server.holdsPoll(of: sid) { try await Task.sleep(for: .milliseconds(5)) }
    return wire
  }

  /// How that connection ends.
  fileprivate func lastWord(_ wire: Wire) async throws -> String {
    guard let webSocket else {
      guard let answer = try? await wire.readAnswer() else { return await wire.wasReset ? "reset" : "closed" }
      return answer.text
    }
    while true {
      switch await webSocket.next() {
      case .close(let code): return "close \(code ?? 0)"
      case .end: return await wire.wasReset ? "reset" : "closed"
      default: break
      }
    }
  }

  /// The next packet, which must not be a ping.
  fileprivate func textWithoutPing() async throws -> String? {
    if let webSocket { return await webSocket.text() }
    return try await get("&sid=\(sid)").text
  }
}

extension TestServer {
  /// Whether a poll of the session waits.
  fileprivate func holdsPoll(of sid: String) async -> Bool {
    guard let shard = server.core.shard(of: sid) else { return false }
    return await withCheckedContinuation { continuation in
      shard.run { continuation.resume(returning: $0.sessions[sid]?.poll != nil) }
    }
  }
}

extension RawWebSocket {
  /// `.end` if nothing arrives; then the WebSocket can no longer be used.
  fileprivate func nextWithin(_ limit: Duration) async -> Message { await within(limit) { await next() } ?? .end }
}
