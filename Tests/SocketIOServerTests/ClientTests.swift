import NIOCore
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Synchronization
import Testing

@testable import SocketIOClient

@Suite("SocketIOClient against SocketIOServer", .timeLimit(.minutes(5)))
struct ClientTests {
  private static let patience = Duration.seconds(60)

  @Test("events with attachments come back as they went, and are acknowledged", arguments: ClientMode.allCases)
  func echo(mode: ClientMode) async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient(mode) { (client) async throws in
        try await client.connect(to: "/open")
        var echoes = await client.events("echo-back", in: "/open").makeAsyncIterator()
        let sent = SocketArguments(
          [json(#"{"text":"안녕 \"x\""}"#), json(#"{"_placeholder":true,"num":0}"#)], attachments: [[0, 255, 7]])
        try await client.emit("echo", sent, in: "/open")
        #expect(try await echoes.next(isolation: #isolation)?.arguments == sent)
        #expect(try await client.emit("echo", sent, in: "/open", acknowledgedWithin: Self.patience) == sent)
      }
    }
  }

  @Test("the server asks and the client acknowledges", arguments: ClientMode.allCases)
  func asked(mode: ClientMode) async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient(mode) { (client) async throws in
        try await client.connect()
        var questions = await client.events("question").makeAsyncIterator()
        var answers = await client.events("answer", as: Int.self).makeAsyncIterator()
        try await client.emit("ask", 1)
        let question = try #require(try await questions.next(isolation: #isolation))
        try await client.acknowledge(question, with: SocketArguments([json("42")]), in: "/")
        #expect(try await answers.next() == 42)
      }
    }
  }

  @Test("a client that begins with polling moves to WebSocket, and loses no event")
  func upgrade() async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient(.upgrade) { (client) async throws in
        try await client.connect()
        var echoes = await client.events("echo-back", as: Int.self).makeAsyncIterator()
        var sent = 0
        // Both sides send events before, during and after the upgrade.
        while await server.server.sockets(in: .init(namespace: "/")).first?.transport != .webSocket {
          try await client.emit("echo", sent)
          sent += 1
          #expect(try await echoes.next() == sent - 1)
        }
        try await client.emit("echo", sent)
        #expect(try await echoes.next() == sent)
      }
    }
  }

  @Test("input after an invalid packet is ignored, so that no event is missed unnoticed")
  func afterGarbage() async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient { (client) async throws in
        var updates = await client.updates(in: ["/"]).makeAsyncIterator()
        let isConnected =
          if case .connected = try await updates.next(isolation: #isolation)?.kind { true } else { false }
        #expect(isConnected)
        await receive(by: client, [#"2["echo-back",1"#, #"2["echo-back",2]"#])
        let next = try await updates.next(isolation: #isolation)
        let isEnd = if case .disconnected(.parseError) = next?.kind { true } else { false }
        #expect(isEnd, "\(String(describing: next))")
      }
    }
  }

  /// Lets the client receive messages in one turn, as if they arrived in one segment.
  private func receive(by client: isolated SocketIOClient, _ messages: [String]) {
    guard let id = client.connection?.id else { return }
    for message in messages { client.received(EnginePacket(.message, Array(message.utf8)), connection: id) }
  }

  @Test("many events keep their order", arguments: ClientMode.allCases)
  func order(mode: ClientMode) async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient(mode) { (client) async throws in
        try await client.connect()
        var echoes = await client.events("echo-back", as: Int.self).makeAsyncIterator()
        for number in 0..<300 { try await client.emit("echo", number) }
        for number in 0..<300 { #expect(try await echoes.next() == number) }
      }
    }
  }

  @Test("polling works where no WebSocket can be opened")
  func fallback() async throws {
    try await TestServer.with(.changed { $0.transports = [.polling] }) { (server) async throws in
      try await server.withClient(.webSocket, { $0.transports = [.webSocket, .polling] }) { (client) async throws in
        try await client.connect()
        #expect(await server.server.sockets(in: .init(namespace: "/")).first?.transport == .polling)
      }
    }
  }

  @Test(
    "a lost connection is reopened, and its namespaces are joined with fresh credentials",
    arguments: ClientMode.allCases)
  func reconnect(mode: ClientMode) async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient(mode) { (client) async throws in
        let asked = Journal()
        var updates = await client.updates(in: ["/guarded"]) {
          await asked.add("asked")
          return json(#"{"token":"good"}"#)
        }.makeAsyncIterator()
        #expect(try await Self.connected(&updates)?.recovered == false)
        await Self.lose(client)
        #expect(try await Self.connected(&updates)?.recovered == false)
        #expect(await asked.entries.count == 2)
        #expect(try await client.emit("echo", in: "/guarded", acknowledgedWithin: Self.patience).values.isEmpty)
      }
    }
  }

  @Test("a recovered client keeps its id and rooms, and receives missed events", arguments: ClientMode.allCases)
  func recovery(mode: ClientMode) async throws {
    try await TestServer.with(.changed { $0.recovery = .init() }) { (server) async throws in
      try await server.withClient(mode) { (client) async throws in
        var updates = await client.updates(in: ["/"]).makeAsyncIterator()
        let first = try #require(try await Self.connected(&updates))
        let arguments = try SocketArguments(encoding: "red")
        _ = try await client.emit("join", arguments, in: "/", acknowledgedWithin: Self.patience)
        var heard = await client.events("news", as: String.self).makeAsyncIterator()
        server.server.emit("news", SocketArguments([json(#""a""#)]), to: .init(namespace: "/", rooms: ["red"]))
        #expect(try await heard.next() == "a")
        await Self.lose(client)
        server.server.emit("news", SocketArguments([json(#""b""#)]), to: .init(namespace: "/", rooms: ["red"]))
        let second = try #require(try await Self.connected(&updates))
        #expect(second.recovered)
        #expect(second.sid == first.sid)
        #expect(try await heard.next() == "b")
        server.server.emit("news", SocketArguments([json(#""c""#)]), to: .init(namespace: "/", rooms: ["red"]))
        #expect(try await heard.next() == "c")
      }
    }
  }

  @Test(
    "however often the connection is lost, no event of any event loop is missed, repeated or reordered",
    arguments: ClientMode.allCases)
  func recoveredAgainAndAgain(mode: ClientMode) async throws {
    try await TestServer.with(.changed { $0.recovery = .init() }) { (server) async throws in
      try await server.withClient { (speaker) async throws in
        try await server.withClient(mode) { (client) async throws in
          try await speaker.connect()
          try await client.connect()
          var fromOutside = await client.events("outside", as: Int.self).makeAsyncIterator()
          var fromLoop = await client.events("said", as: Int.self).makeAsyncIterator()
          for number in 0..<200 {
            server.server.emit("outside", json: json("\(number)"), to: "/")
            try await speaker.emit("others", number)
            guard number % 20 == 19 else { continue }
            await Self.lose(client)
            // Some connections are lost while the client is away, some after it has returned.
            if number % 40 == 39 { #expect(try await fromOutside.next() == number / 40) }
          }
          for number in 5..<200 { #expect(try await fromOutside.next() == number) }
          for number in 0..<200 { #expect(try await fromLoop.next() == number) }
        }
      }
    }
  }

  @Test(
    "a refused connect throws the server's message and data, and may be tried again", arguments: ClientMode.allCases)
  func refusal(mode: ClientMode) async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient(mode) { (client) async throws in
        do {
          try await client.connect(to: "/guarded")
          Issue.record("it was let in")
        } catch SocketIOError.refused(let refusal) {
          #expect(refusal.message == "not allowed")
          #expect(try refusal.data(as: [String: Int].self) == ["code": 1])
        }
        try await client.connect(to: "/guarded", auth: json(#"{"token":"good"}"#))
      }
    }
  }

  @Test("a client of another protocol version gets an error that says so", arguments: [ClientMode.polling, .webSocket])
  func versionMismatch(mode: ClientMode) async throws {
    try await TestServer.with(.changed { $0.allowEIO3 = false }) { (server) async throws in
      try await server.withClient(mode, { $0.revision = .v3 }) { (client) async throws in
        let failure = try await Self.failure(of: client)
        guard case .versionMismatch(let message) = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
        #expect(message.contains("Engine.IO 3"))
      }
    }
  }

  @Test("another server than a Socket.IO server is reported as such", arguments: [ClientMode.polling, .webSocket])
  func wrongPath(mode: ClientMode) async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient(mode, { $0.path = "/elsewhere/" }) { (client) async throws in
        let failure = try await Self.failure(of: client)
        guard case .notSocketIO = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
      }
    }
  }

  @Test("a full server is reported as such", arguments: [ClientMode.polling, .webSocket])
  func full(mode: ClientMode) async throws {
    try await TestServer.with(.changed { $0.maxSessions = 0 }) { (server) async throws in
      try await server.withClient(mode) { (client) async throws in
        let failure = try await Self.failure(of: client)
        guard case .refused(503, _, _) = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
      }
    }
  }

  @Test("an address without a server is reported as unreachable", arguments: ClientMode.allCases)
  func unreachable(mode: ClientMode) async throws {
    var configuration = SocketIOClient.Configuration()
    configuration.transports = mode.transports
    configuration.maxAttempts = 1
    configuration.backoff.first = .milliseconds(1)
    let client = try SocketIOClient(url: "http://127.0.0.1:1", configuration: configuration)
    let updates = await client.updates(in: ["/"])
    await client.run()
    for try await update in updates {
      guard case .waiting(let failure, _) = update.kind, case .unreachable(let transport, let cause) = failure else {
        Issue.record("\(update)")
        continue
      }
      #expect(transport == mode.transports.first)
      #expect(cause.contains("refused"))
      #expect(failure.description.contains(transport.rawValue))
    }
    await #expect(throws: SocketIOError.closed) { try await client.connect() }
  }

  @Test("a client of Engine.IO 3 works with a server that allows it", arguments: ClientMode.allCases)
  func revision3(mode: ClientMode) async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient(mode, { $0.revision = .v3 }) { (client) async throws in
        try await client.connect()
        try await client.connect(to: "/open")
        let sent = SocketArguments([json(#"{"_placeholder":true,"num":0}"#)], attachments: [[1, 2, 255]])
        for namespace in ["/", "/open"] {
          #expect(try await client.emit("echo", sent, in: namespace, acknowledgedWithin: Self.patience) == sent)
        }
      }
    }
  }

  @Test("an event reaches all readers of its name, and no others", arguments: ClientMode.allCases)
  func readers(mode: ClientMode) async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient(mode) { (client) async throws in
        try await client.connect()
        var first = await client.events("a", as: Int.self).makeAsyncIterator()
        var second = await client.events("a", as: Int.self).makeAsyncIterator()
        var other = await client.events("b", as: Int.self).makeAsyncIterator()
        server.server.emit("a", json: json("1"), to: "/")
        server.server.emit("b", json: json("2"), to: "/")
        #expect(try await first.next() == 1)
        #expect(try await second.next() == 1)
        #expect(try await other.next() == 2)
        await client.leave("/")
        #expect(try await first.next() == nil)
      }
    }
  }

  @Test("events end when the server removes the client, and fail when it refuses its return")
  func removed() async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient { (client) async throws in
        try await client.connect()
        var events = await client.events("e").makeAsyncIterator()
        try await client.emit("bye", in: "/")
        #expect(try await events.next(isolation: #isolation) == nil)
        let once = Once()
        try await client.connect(to: "/guarded") { json(once.first() ? #"{"token":"good"}"# : "{}") }
        events = await client.events("e", in: "/guarded").makeAsyncIterator()
        await Self.lose(client)
        let error = await #expect(throws: SocketIOError.self) { try await events.next(isolation: #isolation) }
        guard case .refused(let refusal) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        #expect(refusal.message == "not allowed")
      }
    }
  }

  /// Lets only the first caller pass.
  private final class Once: Sendable {
    private let isUsed = Atomic(false)

    func first() -> Bool { !isUsed.exchange(true, ordering: .relaxed) }
  }

  // MARK: Help

  private typealias Updates = SocketIOClient.Updates.AsyncIterator

  /// Waits until the client is accepted.
  private static func connected(_ updates: inout Updates) async throws -> (sid: String, recovered: Bool)? {
    while let update = try await updates.next(isolation: #isolation) {
      if case .connected(let sid, let recovered) = update.kind { return (sid, recovered) }
    }
    return nil
  }

  /// Waits until an attempt to connect has failed.
  private static func failure(of client: SocketIOClient) async throws -> SocketIOClient.Failure? {
    var updates = await client.updates(in: ["/"]).makeAsyncIterator()
    while let update = try await updates.next(isolation: #isolation) {
      if case .waiting(let failure, _) = update.kind { return failure }
    }
    return nil
  }

  /// Drops the connection.
  private static func lose(_ client: SocketIOClient) async {
    await client.fail(.lost(.transportError), connection: client.connectionCount)
  }
}
