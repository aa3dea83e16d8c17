import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Synchronization
import Testing

/// On a fast network socket.io-client-swift completes its upgrade before the POST that joins its namespaces has arrived, and never repeats
/// it.
@Suite("Upgrades that overtake POSTs", .timeLimit(.minutes(5)))
struct UpgradeRaceTests {
  private static let openings = 1000
  private static let revisions: [EngineRevision] = [.v3, .v4]

  /// Releases polls so early that many POSTs are overtaken.
  private static let hasty = SocketIOServer.Configuration.changed { $0.upgradeNoopInterval = .milliseconds(1) }

  private static func overtaking(_ server: TestServer) async throws -> (EngineClient, RawWebSocket) {
    let client = try await EngineClient(server, .polling)
    let webSocket = try await server.webSocket("EIO=4&transport=websocket&sid=\(await client.sid)")
    try await webSocket.send("2probe")
    #expect(await webSocket.text() == "3probe")
    try await webSocket.send("5")
    // An answer shows that the upgrade is complete.
    try await webSocket.send("40/open,")
    #expect(await webSocket.text()?.hasPrefix("40/open,") == true)
    return (client, webSocket)
  }

  @Test("a POST after the upgrade is answered ok and handled as if it had arrived over the WebSocket")
  func latePost() async throws {
    try await TestServer.with { server in
      let (client, webSocket) = try await Self.overtaking(server)
      #expect(try await client.post("40/open-late,").text == "ok")
      #expect(await webSocket.text()?.hasPrefix(#"40/open-late,{"sid":"#) == true)
      #expect(try await client.post(#"42/open-late,7["echo",1]"#).text == "ok")
      #expect(await webSocket.text() == "43/open-late,7[1]")
      #expect(try await client.post("6").text == "ok")
    }
  }

  @Test("a room left over the WebSocket before its late CONNECT arrived is not joined")
  func leftBeforeLateConnect() async throws {
    try await TestServer.with { server in
      let (client, webSocket) = try await Self.overtaking(server)
      try await webSocket.send("41/open-late,")
      try await webSocket.send(#"42/open,1["echo"]"#)
      #expect(await webSocket.text() == "43/open,1[]")
      #expect(try await client.post("40/open-late,").text == "ok")
      #expect(await server.settles(.init(sessions: 1, sockets: 1, namespaces: 1)))
    }
  }

  @Test("a late POST that breaks off ends the session: its content is lost, and its client reconnects")
  func brokenLatePost() async throws {
    try await TestServer.with { server in
      let (client, webSocket) = try await Self.overtaking(server)
      let wire = try await server.wire()
      let target = "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)"
      try await wire.send(Array("POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n40/open-".utf8))
      wire.abort()
      #expect(await webSocket.next() == .close(nil))
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("a POST that arrives too long after the upgrade is refused, and the session continues")
  func tooLate() async throws {
    try await TestServer.with(.changed { $0.latePostTimeout = .milliseconds(50) }) { server in
      let (client, webSocket) = try await Self.overtaking(server)
      var answer = try await client.post("6")
      while answer.text == "ok" { answer = try await client.post("6") }
      #expect(answer.status == 400 && answer.text == #"{"code":3,"message":"Bad request"}"#)
      try await webSocket.send(#"42/open,1["echo"]"#)
      #expect(await webSocket.text() == "43/open,1[]")
    }
  }

  @Test("of a thousand openings without a pause, ten at once, every one joins", arguments: revisions)
  func openings(revision: EngineRevision) async throws {
    try await TestServer.with(Self.hasty) { server in
      let overtaken = Mutex(0)
      // Without an overtaken POST it has tested nothing.
      for _ in 0..<10 where overtaken.withLock(\.self) == 0 {
        let joined = try await Self.count(Self.openings) { number in
          let phone = try await RacingPhone.open(server.port, revision)
          let namespace = "/open-\(number)"
          let answer = SocketPacket(.connect, namespace: namespace).messages()[0].data
          let isJoined = { @Sendable (packets: [EnginePacket]) in packets.contains { $0.data.starts(with: answer) } }
          let (received, refusals) = try await phone.upgrade(
            sending: [SocketPacket(.connect, namespace: namespace)], until: isJoined)
          if await phone.hasOvertaken { overtaken.withLock { $0 += 1 } }
          await phone.abort()
          return refusals.isEmpty && isJoined(received)
        }
        #expect(joined == Self.openings)
      }
      #expect(overtaken.withLock { $0 } > 0)
    }
  }

  @Test("no event, with attachments or without, is lost or repeated while clients upgrade", arguments: revisions)
  func events(revision: EngineRevision) async throws {
    try await TestServer.with(Self.hasty) { server in
      let whole = try await Self.count(100) { _ in
        let phone = try await RacingPhone.open(server.port, revision, isInMain: true)
        let events = (0..<20).map(Self.echo)
        let (received, refusals) = try await phone.upgrade(sending: events) { $0.count >= 30 }
        await phone.abort()
        return refusals.isEmpty
          && received.map(\.data).sorted { $0.lexicographicallyPrecedes($1) } == Self.echoes(events)
      }
      #expect(whole == 100)
    }
  }

  /// An event with a number, every other one with an attachment.
  private static func echo(_ number: Int) -> SocketPacket {
    guard number % 2 == 1 else { return .event("echo", arguments: Array("\(number)".utf8)) }
    let arguments = #"\#(number),{"_placeholder":true,"num":0}"#
    return .event("echo", arguments: Array(arguments.utf8), attachments: [[UInt8(number)]])
  }

  /// The data of the packets that come back, sorted.
  private static func echoes(_ events: [SocketPacket]) -> [[UInt8]] {
    events.flatMap { $0.messages() }.map { message in
      message.isBinary
        ? message.data : Array(String(decoding: message.data, as: UTF8.self).replacing("echo", with: "echo-back").utf8)
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  @Test(
    "of a thousand openings of our own client, ten at once, every one joins and receives events", arguments: revisions)
  func ownClient(revision: EngineRevision) async throws {
    try await TestServer.with(Self.hasty) { server in
      let heard = try await Self.count(Self.openings) { number in
        var isHeard = false
        try await server.withClient(.upgrade, { $0.revision = revision }) { client in
          let namespace = "/open-\(number)"
          try await client.connect(to: namespace)
          let echoes = await client.events("echo-back", as: Int.self, in: namespace)
          try await client.emit("echo", number, in: namespace)
          for try await echo in echoes {
            isHeard = echo == number
            break
          }
        }
        return isHeard
      }
      #expect(heard == Self.openings)
    }
  }

  /// How many of `count` runs succeed, ten at a time.
  private static func count(_ count: Int, _ run: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      var succeeded = 0
      for number in 0..<count {
        if number >= 10, try await group.next() == true { succeeded += 1 }
        group.addTask { try await run(number) }
      }
      for try await success in group where success { succeeded += 1 }
      return succeeded
    }
  }
}
