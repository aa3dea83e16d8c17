import Foundation
import NIOCore
import SocketIOClient
import SocketIOProtocol
import Testing

@Suite("SocketIOClient", .serialized, .timeLimit(.minutes(5)))
struct SocketIOClientTests {
  private static func start(port: Int = 0, _ more: [String] = []) async throws -> (Program, url: String) {
    let program = try Program("socketio-echo", ["--port", String(port), "--mode", "rig"] + more)
    let ready = "socketio-echo listening on "
    return (program, String(try await program.output.next(beginning: ready).dropFirst(ready.count)))
  }

  private static var quick: SocketIOClient.Configuration {
    var configuration = SocketIOClient.Configuration()
    configuration.backoff.first = .milliseconds(20)
    configuration.backoff.longest = .milliseconds(200)
    return configuration
  }

  /// Runs `body` with a server and a running client, which is closed afterwards and must then end.
  private func withClient(
    _ configuration: SocketIOClient.Configuration = quick, server more: [String] = [],
    _ body: (SocketIOClient, Program, _ url: String) async throws -> Void
  ) async throws {
    let (program, url) = try await Self.start(more)
    let client = try SocketIOClient(url: url, configuration: configuration)
    let running = Task { await client.run() }
    let result: Result<Void, any Error>
    do { result = .success(try await body(client, program, url)) } catch { result = .failure(error) }
    await client.close()
    await running.value
    program.signal(SIGKILL)
    try result.get()
  }

  private typealias Iterator = SocketIOClient.Updates.AsyncIterator

  /// Waits until the server has admitted the client to a namespace.
  private func connected(_ updates: inout Iterator) async throws {
    while let update = try await updates.next(isolation: #isolation) {
      switch update.kind {
      case .connected(let sid, _): return try #require(!sid.isEmpty)
      case .event, .disconnected, .waiting: continue
      case .refused: throw SocketIOError.notConnected
      }
    }
    throw SocketIOError.closed
  }

  private func event(_ name: String, _ updates: inout Iterator) async throws -> SocketEvent {
    while let update = try await updates.next(isolation: #isolation) {
      if case .event(let event) = update.kind, event.name == name { return event }
    }
    throw SocketIOError.closed
  }

  private func json(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("auth, query and headers reach the server")
  func handshake() async throws {
    struct Welcome: Decodable {
      let ns: String
      let auth: [String: String]
      let query: [String: String]
      let xtest: String?
      let transport: String
    }
    var configuration = Self.quick
    configuration.query = [("who", "미나 &=?")]
    configuration.headers = [("X-Test", "yes")]
    try await withClient(configuration) { client, _, _ in
      var updates = await client.updates(in: ["/"], auth: json(#"{"a":"b"}"#)).makeAsyncIterator()
      let welcome = try await event("welcome", &updates).arguments.decode(Welcome.self)
      #expect(welcome.ns == "/")
      #expect(welcome.auth == ["a": "b"])
      #expect(welcome.query["who"] == "미나 &=?")
      #expect(welcome.xtest == "yes")
      #expect(welcome.transport == "websocket")
    }
  }

  @Test("events and binary attachments come back unchanged")
  func echo() async throws {
    try await withClient { (client, _, _) async throws in
      var updates = await client.updates(in: ["/bench"]).makeAsyncIterator()
      try await connected(&updates)
      let sent = SocketArguments(
        [json(#"{"text":"안녕 \"x\""}"#), json("[1,2.5,null]"), json(#"{"_placeholder":true,"num":0}"#)],
        attachments: [[0, 255, 7]])
      try await client.emit("echo", sent, in: "/bench")
      #expect(try await event("echo-back", &updates).arguments == sent)
    }
  }

  @Test("an event is acknowledged, times out, or fails at once without a connection")
  func acknowledgements() async throws {
    try await withClient { (client, _, _) async throws in
      var updates = await client.updates(in: ["/"]).makeAsyncIterator()
      await #expect(throws: SocketIOError.notConnected) {
        try await client.emit("echo", in: "/elsewhere", acknowledgedWithin: .seconds(60))
      }
      try await connected(&updates)
      let argument = SocketArguments([json("42")])
      #expect(try await client.emit("echo", argument, in: "/", acknowledgedWithin: .seconds(60)) == argument)
      await #expect(throws: SocketIOError.timedOut) {
        try await client.emit("no-such-event", in: "/", acknowledgedWithin: .milliseconds(50))
      }
    }
  }

  @Test("the client acknowledges events of the server")
  func asked() async throws {
    try await withClient { (client, _, _) async throws in
      var updates = await client.updates(in: ["/"]).makeAsyncIterator()
      try await connected(&updates)
      try await client.emit("ask-me", SocketArguments([json("1")]), in: "/")
      let question = try await event("question", &updates)
      try await client.acknowledge(question, with: SocketArguments([json(#""answer""#)]), in: "/")
      #expect(try await event("answer", &updates).arguments.decode(String.self) == "answer")
    }
  }

  @Test("a refusal is reported with its message, and a second attempt may succeed")
  func refusal() async throws {
    try await withClient { (client, _, _) async throws in
      var updates = await client.updates(in: ["/"], auth: json(#"{"token":"bad"}"#)).makeAsyncIterator()
      let update = try #require(try await updates.next(isolation: #isolation))
      guard case .refused(let refusal) = update.kind else {
        Issue.record("\(update)")
        return
      }
      #expect(refusal.message == "Not authorized")
      await client.rejoin("/", auth: json(#"{"token":"good"}"#))
      try await connected(&updates)
    }
  }

  @Test("several namespaces share a connection; an unknown one does not disturb the others")
  func namespaces() async throws {
    try await withClient { (client, _, _) async throws in
      var updates = await client.updates(in: ["/", "/ws-channel-a", "/unknown"]).makeAsyncIterator()
      var joined: Set<String> = []
      var refused: Set<String> = []
      while joined.count + refused.count < 3, let update = try await updates.next(isolation: #isolation) {
        if case .connected = update.kind { joined.insert(update.namespace) }
        if case .refused = update.kind { refused.insert(update.namespace) }
      }
      #expect(joined == ["/", "/ws-channel-a"])
      #expect(refused == ["/unknown"])
      try await client.emit("echo", in: "/ws-channel-a")
      let echo = try await event("echo-back", &updates)
      #expect(echo.arguments.values.isEmpty)
    }
  }

  @Test(
    "a killed server is found again, and the namespaces are joined again",
    arguments: [[.webSocket], [.polling], [.polling, .webSocket]] as [[EngineTransport]])
  func reconnect(transports: [EngineTransport]) async throws {
    var configuration = Self.quick
    configuration.transports = transports
    try await withClient(configuration) { client, program, url in
      var updates = await client.updates(in: ["/", "/bench"]).makeAsyncIterator()
      try await connected(&updates)
      try await connected(&updates)
      program.signal(SIGKILL)
      _ = await program.status()
      var isTold = false
      while !isTold, let update = try await updates.next(isolation: #isolation) {
        if case .disconnected = update.kind { isTold = true }
      }
      let port = try #require(URL(string: url)?.port)
      let (second, _) = try await Self.start(port: port)
      try await connected(&updates)
      try await connected(&updates)
      try await client.emit("echo", in: "/bench")
      _ = try await event("echo-back", &updates)
      second.signal(SIGKILL)
    }
  }

  @Test("a server that is silent for longer than it announced is abandoned")
  func silence() async throws {
    try await withClient(server: ["--ping-interval", "100", "--ping-timeout", "15000"]) { client, program, _ in
      var updates = await client.updates(in: ["/"]).makeAsyncIterator()
      try await connected(&updates)
      program.signal(SIGSTOP)
      var reason: DisconnectReason?
      while reason == nil, let update = try await updates.next(isolation: #isolation) {
        if case .disconnected(let why) = update.kind { reason = why }
      }
      #expect(reason == .pingTimeout)
      program.signal(SIGCONT)
      try await connected(&updates)
    }
  }

  @Test("pings are answered: the connection survives many intervals")
  func heartbeat() async throws {
    try await withClient(server: ["--ping-interval", "20", "--ping-timeout", "60000"]) { client, _, _ in
      var updates = await client.updates(in: ["/"]).makeAsyncIterator()
      try await connected(&updates)
      var events = await client.connectionEvents().makeAsyncIterator()
      var pings = 0
      // The server sends a ping only after the answer to the one before.
      while pings < 10, let event = try await events.next(isolation: #isolation) {
        if event == .ping { pings += 1 }
      }
      #expect(pings == 10)
      try await client.emit("echo", in: "/")
      let update = try await updates.next(isolation: #isolation)
      #expect(update.map { "\($0.kind)".contains("welcome") } == true, "nothing else has happened")
      _ = try await event("echo-back", &updates)
    }
  }

  @Test("a reader that exceeds its buffer limit gets an error, and its namespace is left")
  func tooSlow() async throws {
    var configuration = Self.quick
    configuration.maxWaitingUpdates = 3
    try await withClient(configuration, server: ["--bare"]) { client, _, _ in
      var updates = await client.updates(in: ["/"]).makeAsyncIterator()
      try await connected(&updates)
      // The buffer may overflow already while these are sent.
      for _ in 0..<10 { try? await client.emit("echo", in: "/") }
      _ = try? await client.emit("echo", in: "/", acknowledgedWithin: .seconds(60))
      await #expect(throws: SocketIOError.tooSlow) {
        while try await updates.next(isolation: #isolation) != nil {}
      }
      await #expect(throws: SocketIOError.notConnected) { try await client.emit("echo", in: "/") }
    }
  }

  @Test("dropping a sequence leaves its namespace")
  func dropped() async throws {
    try await withClient { (client, _, _) async throws in
      var kept = await client.updates(in: ["/bench"]).makeAsyncIterator()
      do {
        var updates = await client.updates(in: ["/"]).makeAsyncIterator()
        try await connected(&updates)
      }
      try await connected(&kept)
      // The drop runs on the client's own loop before the next call.
      await #expect(throws: SocketIOError.notConnected) { try await client.emit("echo", in: "/") }
    }
  }

  @Test("if no server listens, the allowed attempts fail, and each is reported")
  func unreachable() async throws {
    var configuration = Self.quick
    configuration.maxAttempts = 2
    let client = try SocketIOClient(url: "http://127.0.0.1:1", configuration: configuration)
    let updates = await client.updates(in: ["/"])
    await client.run()
    var reasons: [String] = []
    for try await update in updates {
      if case .waiting(.unreachable(.webSocket, let reason), _) = update.kind { reasons.append(reason) }
    }
    #expect(reasons.count == 2)
  }

  @Test("a URL that is not for a WebSocket is refused", arguments: ["ftp://x", "127.0.0.1", "http://"])
  func badURL(_ url: String) {
    #expect(throws: SocketIOError.badURL(url)) { try SocketIOClient(url: url) }
  }
}
