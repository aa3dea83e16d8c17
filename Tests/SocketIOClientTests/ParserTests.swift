import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Parsers", .timeLimit(.minutes(5)))
struct ParserTests {
  private static let msgpack = SocketIOServer.Configuration.changed { $0.parser = .msgpack }

  private static let arguments = SocketArguments(
    [
      json(#"{"text":"안녕 \"x\"","numbers":[0,-1,1.5,9007199254740993]}"#),
      json(#"{"k":{"_placeholder":true,"num":0}}"#),
    ],
    attachments: [[0, 255, 7]])

  @Test(
    "events with bytes are sent as MessagePack over every transport, and acknowledged", arguments: ClientMode.allCases
  )
  func echo(mode: ClientMode) async throws {
    try await Rig.with(Self.msgpack) { (rig) async throws in
      try await rig.withClient(mode, { $0.parser = .msgpack }) { (client) async throws in
        try await client.connect()
        var echoes = await client.events("echo").makeAsyncIterator()
        try await client.emit("echo", Self.arguments)
        #expect(try await echoes.next(isolation: #isolation)?.arguments == Self.arguments)
        #expect(try await client.emit("echo", Self.arguments, acknowledgedWithin: patience) == Self.arguments)
      }
    }
  }

  @Test("with MessagePack the server refuses with its message and data, asks, and disconnects")
  func packets() async throws {
    let guarded: Rig.Declaration = { handlers, _ in
      handlers.use { request, _ in
        guard request.auth == json(#"{"token":"good"}"#) else {
          throw ConnectRefusal(message: "not authorized", data: json(#"{"code":1}"#))
        }
      }
      handlers.on(
        "ask",
        perform: { socket, event in
          event.acknowledge?(try await socket.emit("question", event.arguments, timeout: patience))
        })
    }
    try await Rig.with(Self.msgpack, guarded) { (rig) async throws in
      try await rig.withClient(.webSocket, { $0.parser = .msgpack }) { (client) async throws in
        let error = await #expect(throws: SocketIOError.self) { try await client.connect() }
        if case .refused(let refusal) = error {
          #expect(refusal.message == "not authorized" && (try? refusal.data(as: [String: Int].self)) == ["code": 1])
        } else {
          Issue.record("\(String(describing: error))")
        }
        try await client.connect(auth: ["token": "good"])
        var questions = await client.events("question").makeAsyncIterator()
        async let answer = client.emit("ask", Self.arguments, acknowledgedWithin: patience)
        let question = try #require(try await questions.next(isolation: #isolation))
        try await client.acknowledge(question, with: question.arguments)
        #expect(try await answer == Self.arguments)
        var updates = await client.updates(in: ["/"], auth: json(#"{"token":"good"}"#)).makeAsyncIterator()
        try await client.emit("bye")
        var wasRemoved = false
        while !wasRemoved, let update = try await updates.next(isolation: #isolation) {
          if case .disconnected(.serverNamespaceDisconnect) = update.kind { wasRemoved = true }
        }
        #expect(wasRemoved)
      }
    }
  }

  @Test("servers of a cluster may have different parsers: a broadcast reaches all clients in their own format")
  func cluster() async throws {
    let adapter = InMemoryAdapter()
    func settings(_ parser: SocketParser) -> SocketIOServer.Configuration {
      .changed {
        $0.parser = parser
        $0.adapter = adapter
      }
    }
    try await Rig.with(settings(.json)) { (first) async throws in
      try await Rig.with(settings(.msgpack)) { (second) async throws in
        try await first.withClient { (client) async throws in
          try await second.withClient(.webSocket, { $0.parser = .msgpack }) { (other) async throws in
            var (heard, heardByOther) = (
              await client.events("news").makeAsyncIterator(), await other.events("news").makeAsyncIterator()
            )
            try await client.connect()
            try await other.connect()
            first.server.emit("news", Self.arguments, to: .init(namespace: "/"))
            #expect(try await heard.next(isolation: #isolation)?.arguments == Self.arguments)
            #expect(try await heardByOther.next(isolation: #isolation)?.arguments == Self.arguments)
          }
        }
      }
    }
  }

  @Test("a lost client returns to its socket with MessagePack and receives missed events, including bytes")
  func recovery() async throws {
    let settings = SocketIOServer.Configuration.changed {
      $0.parser = .msgpack
      $0.recovery = SocketIOServer.Recovery()
    }
    try await Rig.with(settings) { (rig) async throws in
      try await rig.withClient(.webSocket, { $0.parser = .msgpack }) { (client) async throws in
        var heard = await client.events("news").makeAsyncIterator()
        try await client.connect()
        let (server, everybody) = (rig.server, BroadcastTarget(namespace: "/"))
        server.emit("news", Self.arguments, to: everybody)
        #expect(try await heard.next(isolation: #isolation)?.arguments == Self.arguments)
        await client.lose { _ in server.emit("news", Self.arguments, to: everybody) }
        #expect(try await heard.next(isolation: #isolation)?.arguments == Self.arguments)
        #expect(await client.isRecovered())
      }
    }
  }

  @Test(
    "a client with another parser is disconnected, and the server's log says why",
    arguments: [(SocketParser.json, SocketParser.msgpack, "is binary"), (.msgpack, .json, "are JSON")])
  func differs(served: SocketParser, spoken: SocketParser, advice: String) async throws {
    let log = LogRecorder()
    try await Rig.with(.changed { $0.parser = served }, logger: log.logger) { (rig) async throws in
      try await rig.withClient(.webSocket, { $0.parser = spoken }) { (client) async throws in
        let joining = Task { try await client.connect() }
        var events = await client.connectionEvents().makeAsyncIterator()
        while let event = try await events.next(isolation: #isolation) {
          if case .ended(_, wasOpen: true) = event { break }
        }
        await client.close()
        await #expect(throws: SocketIOError.closed) { try await joining.value }
      }
    }
    #expect(log.lines.contains { $0.contains(advice) })
  }
}
