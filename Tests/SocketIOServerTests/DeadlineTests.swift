import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

/// Timeouts are exact to the millisecond for requests, however coarse the server's timer and however busy its loops.
@Suite("Deadlines", .timeLimit(.minutes(5)))
struct DeadlineTests {
  private static let unknown = #"{"code":1,"message":"Session ID unknown"}"#

  /// The session id of an open packet.
  private static func sid(_ packet: EnginePacket?) throws -> String {
    try EngineOpen(data: try #require(packet).data).sid
  }

  private func ask(_ server: TestServer, _ method: String, _ query: String) async throws -> HTTPAnswer {
    let wire = try await server.wire()
    defer { wire.abort() }
    return try await wire.request(method, "/socket.io/?\(query)", body: method == "POST" ? Array("6".utf8) : nil)
  }

  /// Whether one of five attempts succeeds. A server that stood still for longer than a timeout gives its clients the
  /// full time again, so a session may still be known.
  private func oneOfFive(_ attempt: () async throws -> Bool) async rethrows -> Bool {
    for _ in 0..<5 {
      if try await attempt() { return true }
    }
    return false
  }

  @Test(
    "in 200 runs a session of a silent client is unknown exactly after interval and timeout",
    arguments: [EngineRevision.v3, .v4], [EngineTransport.polling, .webSocket])
  func silence(revision: EngineRevision, transport: EngineTransport) async throws {
    let configuration = SocketIOServer.Configuration.changed { configuration in
      configuration.pingInterval = .milliseconds(300)
      configuration.pingTimeout = .seconds(2)
    }
    try await TestServer.with(configuration) { server in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for run in 0..<200 {
          group.addTask {
            let method = run % 2 == 0 ? "GET" : "POST"
            let isUnknown = try await oneOfFive {
              try await isUnknownAfterSilence(server, revision, transport, method)
            }
            #expect(isUnknown)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// Whether a new session is unknown to a request 2300 ms later.
  private func isUnknownAfterSilence(
    _ server: TestServer, _ revision: EngineRevision, _ transport: EngineTransport, _ method: String
  ) async throws -> Bool {
    let query = "EIO=\(revision.rawValue)&transport="
    let sid: String
    if transport == .polling {
      let answer = try await ask(server, "GET", query + "polling")
      sid = try Self.sid(try EnginePayload.decode(answer.body, revision).first)
    } else {
      let text = try #require(await server.webSocket(query + "websocket").text())
      sid = try Self.sid(try EnginePacket(text: Array(text.utf8)[...], revision))
    }
    try await Task.sleep(until: .now + .milliseconds(2300), clock: .continuous)
    let answer = try await ask(server, method, query + "polling&sid=\(sid)")
    return answer.status == 400 && answer.text == Self.unknown
  }

  @Test("a session that joins nothing is unknown exactly after connectTimeout")
  func connect() async throws {
    let configuration = SocketIOServer.Configuration.changed { $0.connectTimeout = .milliseconds(300) }
    try await TestServer.with(configuration) { server in
      try await withThrowingTaskGroup { group in
        for _ in 0..<50 {
          group.addTask {
            let client = try await EngineClient(server, .polling)
            try await Task.sleep(until: .now + .milliseconds(300), clock: .continuous)
            let answer = try await client.get("&sid=\(await client.sid)")
            #expect(answer.status == 400 && answer.text == Self.unknown)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("a probe after the time of its upgrade is not answered")
  func upgrade() async throws {
    try await TestServer.with(.changed { $0.upgradeTimeout = .seconds(1) }) { server in
      let isNotAnswered = try await oneOfFive { try await lateProbeIsNotAnswered(server) }
      #expect(isNotAnswered)
    }
  }

  /// Whether the server closes a WebSocket that sends its probe after `upgradeTimeout`. Polling must continue then.
  private func lateProbeIsNotAnswered(_ server: TestServer) async throws -> Bool {
    let client = try await EngineClient(server, .polling)
    try await client.join("/")
    let webSocket = try await server.webSocket("EIO=4&transport=websocket&sid=\(await client.sid)")
    try await Task.sleep(until: .now + .seconds(1), clock: .continuous)
    try? await webSocket.send("2probe")
    guard await webSocket.next() == .close(nil) else { return false }
    try await client.send(#"421["echo"]"#)
    #expect(try await client.text() == "431[]")
    return true
  }

  @Test("a pong makes the next ping the earlier deadline if the interval is shorter than the timeout")
  func shortInterval() async throws {
    let configuration = SocketIOServer.Configuration.changed { configuration in
      configuration.pingInterval = .milliseconds(50)
      configuration.pingTimeout = .seconds(3600)
    }
    try await TestServer.with(configuration) { server in
      let webSocket = try await server.webSocket()
      _ = await webSocket.text()
      for _ in 0..<5 {
        #expect(await webSocket.text() == "2")
        try await webSocket.send("3")
      }
    }
  }

  @Test("a client that returns exactly after the allowed time, counted from when an answer was due, gets a new socket")
  func recovery() async throws {
    let configuration = SocketIOServer.Configuration.changed { configuration in
      configuration.pingInterval = .seconds(5)
      configuration.pingTimeout = .seconds(2)
      configuration.recovery = .init()
      configuration.recovery?.maxDisconnectionDuration = .milliseconds(500)
    }
    try await TestServer.with(configuration) { server in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            let isNew = try await oneOfFive { try await getsNewSocket(server) }
            #expect(isNew)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// Whether a client that returns 7500 ms after it opened its session gets a new socket.
  private func getsNewSocket(_ server: TestServer) async throws -> Bool {
    let client = try await EngineClient(server, .polling, query: "&recovery=1")
    let opened = ContinuousClock.now
    // On a busy machine, a join later than the first ping answers it, which moves the deadline.
    guard let joined = try await client.join("/"), .now - opened < .seconds(5) else { return false }
    let pid = try #require(joined.split(separator: #""pid":""#).last?.prefix { $0 != "\"" })
    try await Task.sleep(until: opened + .milliseconds(7500), clock: .continuous)
    // Opened only now: on a busy machine an earlier session would be closed for its unanswered pings.
    let again = try await EngineClient(server, .webSocket)
    let answer = try #require(try await again.join("/", auth: #"{"pid":"\#(pid)"}"#))
    return !answer.contains(pid)
  }
}
