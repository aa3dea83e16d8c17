import HTTPTypes
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@testable import SocketIOClient

@Suite("The connection of a client", .timeLimit(.minutes(5)))
struct ConnectionTests {
  private typealias Event = SocketIOClient.ConnectionEvent

  @Test("a client knows its id, and whether it is joined, recovered or will rejoin", arguments: ClientMode.allCases)
  func state(mode: ClientMode) async throws {
    try await Rig.with(.changed { $0.recovery = .init() }) { (rig) async throws in
      try await rig.withClient(mode) { (client) async throws in
        #expect(await client.id() == nil)
        #expect(await !client.isActive())
        try await client.connect()
        let id = try #require(await client.id())
        #expect(await rig.server.sockets(in: .init(namespace: "/")).map(\.id) == [id])
        #expect(await client.isConnected())
        #expect(await client.isActive())
        #expect(await !client.isRecovered())
        await client.lose { client in
          #expect(client.id() == nil && !client.isConnected() && client.isActive() && client.currentTransport == nil)
        }
        try await client.connect()
        #expect(await client.isRecovered())
        #expect(await client.id() == id)
        #expect(await client.currentTransport != nil)
        await client.leave("/")
        #expect(await client.id() == nil)
        #expect(await !client.isConnected())
        #expect(await !client.isActive())
      }
    }
  }

  @Test("bytes of JSON are the auth payload unchanged, also within closures, and values are encoded")
  func auth() async throws {
    let declare: Rig.Declaration = { handlers, notes in
      handlers.use { request, _ in notes.add(String(decoding: request.auth, as: UTF8.self)) }
    }
    try await Rig.with(.changed { _ in }, declare) { (rig) async throws in
      try await rig.withClient { (client) async throws in
        let join: @Sendable (String) async throws -> Void = { name in
          try await client.connect(to: "/", auth: Array(#"{"name":"\#(name)"}"#.utf8))
        }
        try await join("mina")
        await client.leave("/")
        try await client.connect(auth: ["name": "joon"])
        #expect(rig.notes.all == [#"{"name":"mina"}"#, #"{"name":"joon"}"#])
        await #expect(throws: EncodingError.self) { try await client.connect(to: "/x", auth: "no object") }
      }
    }
  }

  @Test("a namespace without its slash, and a URL with more than an origin, are refused at once")
  func slips() async throws {
    for url in ["http://127.0.0.1:1/chat", "http://127.0.0.1:1/?token=x", "http://127.0.0.1:1/#x"] {
      #expect(throws: SocketIOError.notOrigin(url)) { try SocketIOClient(url: url) }
    }
    let client = try SocketIOClient(url: "http://127.0.0.1:1/")
    await #expect(throws: SocketIOError.badNamespace("chat")) { try await client.connect(to: "chat") }
    await #expect(throws: SocketIOError.badNamespace("chat")) {
      for try await _ in await client.updates(in: ["/", "chat"]) {}
    }
  }

  @Test("attempts, openings, upgrades, pings and ends of the connection are reported in order")
  func events() async throws {
    try await Rig.with(.changed { $0.pingInterval = .milliseconds(20) }) { (rig) async throws in
      var configuration = SocketIOClient.Configuration.quick
      configuration.transports = ClientMode.upgrade.transports
      let client = try SocketIOClient(url: rig.url, configuration: configuration, logger: .silent)
      var events = await client.connectionEvents().makeAsyncIterator()
      async let running: Void = client.run()
      #expect(try await events.next(isolation: #isolation) == .attempt(after: 0))
      #expect(try await events.next(isolation: #isolation) == .opened(.polling))
      var seen: [Event] = []
      while !(seen.contains(.upgraded) && seen.contains(.ping)),
        let event = try await events.next(isolation: #isolation)
      {
        seen.append(event)
      }
      #expect(seen.allSatisfy { [.upgraded, .ping].contains($0) })
      await client.lose { _ in }
      var event = try await events.next(isolation: #isolation)
      while event == .ping { event = try await events.next(isolation: #isolation) }
      #expect(event == .ended(.lost(.transportError), wasOpen: true))
      guard case .waiting(let delay) = try await events.next(isolation: #isolation) else {
        Issue.record("no delay")
        return
      }
      #expect(delay >= .milliseconds(5) && delay <= .milliseconds(15))
      #expect(try await events.next(isolation: #isolation) == .attempt(after: 1))
      #expect(try await events.next(isolation: #isolation) == .opened(.polling))
      await client.close()
      await running
      while let event = try await events.next(isolation: #isolation) {
        #expect([.ping, .upgraded].contains(event))
      }
    }
  }

  @Test("the client gives up after the allowed number of failures", arguments: [0, 2])
  func gaveUp(attempts: Int) async throws {
    var configuration = SocketIOClient.Configuration.quick
    configuration.maxAttempts = attempts
    let client = try SocketIOClient(url: "http://127.0.0.1:1", configuration: configuration, logger: .silent)
    let events = await client.connectionEvents()
    await client.run()
    var seen: [Event] = []
    for try await event in events { seen.append(event) }
    #expect(seen.filter { if case .attempt = $0 { true } else { false } } == (0...attempts).map { .attempt(after: $0) })
    #expect(seen.last == .gaveUp)
    let unreachable = SocketIOClient.Failure.unreachable(.webSocket, "connection refused")
    #expect(seen.count { $0 == .ended(unreachable, wasOpen: false) } == attempts + 1)
    #expect(try await client.connectionEvents().reduce(0) { count, _ in count + 1 } == 0)
  }

  @Test("delays grow to the longest one, with a random share")
  func delays() {
    var backoff = SocketIOClient.Backoff()
    (backoff.first, backoff.longest, backoff.jitter) = (.seconds(1), .seconds(5), 0.5)
    #expect((1...4).map { backoff.delay(after: $0, chance: 0.5) } == [1, 2, 4, 5].map(Duration.seconds))
    #expect(backoff.delay(after: 1, chance: 0) == .milliseconds(500))
    #expect(backoff.delay(after: 9, chance: 1) == .milliseconds(7500))
  }

  @Test("the application's path, query items and headers reach the server", arguments: ClientMode.allCases)
  func handshake(mode: ClientMode) async throws {
    let greeting: Rig.Declaration = { handlers, notes in
      handlers.connected = { socket in
        notes.add(socket.handshake.query["who"] ?? "nobody")
        notes.add(socket.handshake.headers.first { $0.name.canonicalName == "x-test" }?.value ?? "nothing")
      }
    }
    try await Rig.with(.changed { $0.path = "/live/" }, greeting) { (rig) async throws in
      let change: (inout SocketIOClient.Configuration) -> Void = { configuration in
        configuration.path = "/live/"
        configuration.query = [("who", "미나 &=?")]
        configuration.headers = [("X-Test", "yes")]
      }
      try await rig.withClient(mode, change) { (client) async throws in
        try await client.connect()
        #expect(rig.notes.all == ["미나 &=?", "yes"])
      }
    }
  }

  @Test("waiting for a server that opens no session ends in time", arguments: ClientMode.allCases)
  func openingTimeout(mode: ClientMode) async throws {
    let never = AsyncStream<Void>.makeStream()
    try await Rig.with(
      .changed { configuration in
        configuration.allowRequest = { _ in
          for await _ in never.stream {}
          return .allow
        }
      }
    ) { (rig) async throws in
      try await rig.withClient(mode, { $0.connectTimeout = .milliseconds(50) }) { (client) async throws in
        for try await event in await client.connectionEvents() {
          guard case .ended(let failure, _) = event else { continue }
          #expect(failure == .timedOut)
          return
        }
      }
      never.continuation.finish()
    }
  }

  @Test("several namespaces share one connection, and two clients have two")
  func multiplexing() async throws {
    try await Rig.with { (rig) async throws in
      rig.server.namespace("/other", configure: NamespaceHandlers())
      try await rig.withClient { (first) async throws in
        try await first.connect()
        try await first.connect(to: "/other")
        #expect(rig.server.stats.sessions == 1)
        #expect(rig.server.stats.sockets == 2)
        try await rig.withClient { (second) async throws in
          try await second.connect()
          #expect(rig.server.stats.sessions == 2)
        }
      }
    }
  }
}
