import Logging
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Synchronization
import Testing

@testable import SocketIOClient

@Suite("Bad networks and malicious servers", .timeLimit(.minutes(5)))
struct BadNetworkTests {
  /// Notes the auth of clients that are accepted.
  private static var noting: Rig.Declaration {
    { handlers, notes in
      handlers.use { request, _ in notes.add(String(decoding: request.auth, as: UTF8.self)) }
    }
  }

  /// Waits, even if cancelled, until it is opened.
  private final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation
    private let asked = Atomic(false)

    init() { (stream, opening) = AsyncStream.makeStream() }

    var isAsked: Bool { asked.load(ordering: .relaxed) }

    func open() { opening.finish() }

    func wait() async {
      asked.store(true, ordering: .relaxed)
      // A separate task is not cancelled with the one that waits.
      await Task { for await _ in stream {} }.value
    }
  }

  // MARK: Joining

  @Test(
    "credentials for a membership that was left are not used, and their failure does not refuse the next one",
    arguments: [true, false])
  func leftCredentials(heedsCancellation: Bool) async throws {
    try await Rig.with(.changed { _ in }, Self.noting) { (rig) async throws in
      try await rig.withClient { (client) async throws in
        try await client.connect()
        await client.leave("/")
        let (gate, asked) = (Gate(), Gate())
        let former = Task {
          try await client.connect {
            asked.open()
            if heedsCancellation { try await Task.sleep(for: patience) } else { await gate.wait() }
            return json(#"{"user":"A"}"#)
          }
        }
        await asked.wait()
        await client.leave("/")
        await #expect(throws: SocketIOError.notConnected) { try await former.value }
        let second = Gate()
        let next = Task {
          try await client.connect {
            await second.wait()
            return json(#"{"user":"B"}"#)
          }
        }
        while !second.isAsked { await Task.yield() }
        gate.open()
        try await Task.sleep(for: .milliseconds(50))
        #expect(await !client.isConnected())
        second.open()
        try await next.value
        #expect(rig.notes.all.last == #"{"user":"B"}"#)
      }
    }
  }

  @Test("new credentials replace pending ones", arguments: 0..<3)
  func changedCredentials(way: Int) async throws {
    try await Rig.with(.changed { _ in }, Self.noting) { (rig) async throws in
      try await rig.withClient { (client) async throws in
        try await client.connect()
        await client.leave("/")
        let asked = Gate()
        let joining = Task {
          try await client.connect {
            asked.open()
            try await Task.sleep(for: patience)
            return json(#"{"user":"A"}"#)
          }
        }
        await asked.wait()
        switch way {
        case 0: await client.rejoin("/", auth: json(#"{"user":"B"}"#))
        case 1: try await client.connect(auth: json(#"{"user":"B"}"#))
        default: try await client.connect { json(#"{"user":"B"}"#) }
        }
        try await joining.value
        #expect(rig.notes.all.last == #"{"user":"B"}"#)
      }
    }
  }

  @Test("a connect ends when the server's earlier removal arrives instead of its answer")
  func crossingRemoval() async throws {
    let gate = Gate()
    let slow: Rig.Declaration = { handlers, _ in handlers.use { _, _ in await gate.wait() } }
    try await Rig.with(.changed { _ in }, slow) { (rig) async throws in
      try await rig.withClient { (client) async throws in
        let joining = Task { try await client.connect() }
        while !gate.isAsked { await Task.yield() }
        await client.receive(["1"])
        await #expect(throws: SocketIOError.notConnected) { try await joining.value }
        gate.open()
      }
    }
  }

  @Test("a temporary failure to make credentials keeps the events of a joined namespace")
  func passingFailure() async throws {
    struct Unreachable: Error {}
    try await Rig.with { (rig) async throws in
      try await rig.withClient { (client) async throws in
        let calls = Atomic(0)
        let credentials: SocketIOClient.Credentials = {
          let call = calls.add(1, ordering: .relaxed).newValue
          if (2...3).contains(call) { throw Unreachable() }
          return []
        }
        try await client.connect(credentials: credentials)
        await client.lose { try? $0.emit("note", "kept") }
        while rig.notes.all.isEmpty, await client.isActive() { try await Task.sleep(for: .milliseconds(5)) }
        #expect(rig.notes.all == ["kept"])
        #expect(calls.load(ordering: .relaxed) == 4)
      }
    }
  }

  @Test("the log names the events that are dropped with a refused membership")
  func droppedLog() async throws {
    let gate = Gate()
    let refusing: Rig.Declaration = { handlers, _ in
      handlers.use { _, _ in
        await gate.wait()
        throw ConnectRefusal(message: "no")
      }
    }
    try await Rig.with(.changed { _ in }, refusing) { (rig) async throws in
      let log = LogRecorder()
      let client = try SocketIOClient(url: rig.url, configuration: .quick, logger: log.logger)
      async let running: Void = client.run()
      let joining = Task { try await client.connect() }
      while !gate.isAsked { await Task.yield() }
      for _ in 0..<3 { try await client.emit("note", "x") }
      gate.open()
      await #expect(throws: SocketIOError.self) { try await joining.value }
      #expect(log.lines.count == 1 && log.lines[0].hasPrefix("events dropped kept=3"), "\(log.lines)")
      await client.close()
      await running
    }
  }

  @Test("a joined client that is refused is no longer joined")
  func refusedWhileJoined() async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient { (client) async throws in
        let updates = await client.updates(in: ["/", "/"])
        try await client.connect()
        let asking = client.asking("/")
        while await client.acknowledgements.isEmpty { await Task.yield() }
        await client.receive([#"4{"message":"no"}"#])
        #expect(await client.id() == nil)
        await #expect(throws: SocketIOError.notConnected) { try await asking.value }
        var iterator = updates.makeAsyncIterator()
        guard case .connected = try await iterator.next(isolation: #isolation)?.kind else {
          Issue.record("naming a namespace twice ends the sequence")
          return
        }
      }
    }
  }

  // MARK: Sending

  @Test("an acknowledgement for an event that was not sent yet is ignored")
  func earlyAck() async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient(.webSocket, { $0.retries = 1 }) { (client) async throws in
        try await client.connect()
        let first = client.asking("/")
        while await client.acknowledgements.count < 1 { await Task.yield() }
        let second = client.asking("/")
        while await client.acknowledgements.count < 2 { await Task.yield() }
        await client.receive(["31[]"])
        #expect(await client.acknowledgements.count == 2)
        await client.receive(["30[]", "31[]"])
        _ = try await (first.value, second.value)
      }
    }
  }

  @Test("an event is not sent again while the network has not accepted it")
  func copies() async throws {
    try await Rig.with { (rig) async throws in
      let change: (inout SocketIOClient.Configuration) -> Void = { configuration in
        configuration.retries = 5
        configuration.maxWaitingBytes = 2
      }
      try await rig.withClient(.polling, change) { (client) async throws in
        try await client.connect()
        try await client.idle { client in
          try client.emit("note", "once")
          client.interruptQueue("/")
          #expect(client.connection?.outbox.count == 1)
        }
      }
    }
  }

  @Test("closing the client fails the wait for an acknowledgement")
  func closedAck() async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient { (client) async throws in
        try await client.connect()
        let asking = client.asking("/")
        while await client.acknowledgements.isEmpty { await Task.yield() }
        await client.close()
        await #expect(throws: SocketIOError.closed) { try await asking.value }
      }
    }
  }

  // MARK: Costs that a server may cause

  @Test("answers to pings do not pile up")
  func pings() async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient(.polling) { (client) async throws in
        try await client.connect()
        try await client.idle { client in
          client.receivePings(100)
          #expect(client.connection?.outbox.count { $0.kind == .pong } == 1)
        }
        try await client.note("there")
      }
      try await rig.withClient { (client) async throws in
        try await client.connect()
        await client.inOneTurn { client in
          client.receivePings(100)
          #expect(client.connection?.hasFailed == false)
          try? client.emit("note", String(repeating: "x", count: 32 << 20))
          client.receivePings(1)
          #expect(client.connection?.hasFailed == false)
          client.receivePings(1)
          #expect(client.connection?.hasFailed == true)
        }
      }
    }
  }

  @Test("the number of frames of a message is limited by their cost", arguments: [(1, 1024), (16 << 20, 16384)])
  func fragments(bytes: Int, frames: Int) {
    var configuration = SocketIOClient.Configuration()
    configuration.maxMessageBytes = bytes
    #expect(WebSocketTransport.maxFragments(configuration) == frames)
  }

  @Test("a message with more bytes than allowed ends the connection", arguments: [ClientMode.polling, .webSocket])
  func largeMessage(mode: ClientMode) async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient(mode, { $0.maxMessageBytes = 1000 }) { (client) async throws in
        var events = await client.connectionEvents().makeAsyncIterator()
        try await client.connect()
        let answer = try await client.emit("echo", text(900), acknowledgedWithin: .seconds(60), as: String.self)
        #expect(answer == text(900))
        try await client.emit("echo", text(1000))
        var hasEnded = false
        while !hasEnded, let event = try await events.next(isolation: #isolation) {
          if case .ended(_, wasOpen: true) = event { hasEnded = true }
        }
        #expect(hasEnded)
      }
    }
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
  }

  @Test("the number of packets in a payload is limited", arguments: [EngineRevision.v3, .v4])
  func payload(revision: EngineRevision) throws {
    let packets = Array(repeating: EnginePacket(.ping), count: 3)
    let payload = EnginePayload.encode(packets, revision)
    #expect(try EnginePayload.decode(payload, revision, maxPackets: 3) == packets)
    #expect(throws: EngineParseError.tooManyPackets) { try EnginePayload.decode(payload, revision, maxPackets: 2) }
  }

  // MARK: Settings

  @Test("no setting can trap", arguments: ClientMode.allCases)
  func settings(mode: ClientMode) async throws {
    try await Rig.with { (rig) async throws in
      let change: (inout SocketIOClient.Configuration) -> Void = { configuration in
        configuration.maxWaitingBytes = 0
        configuration.maxMessageBytes = .max
        configuration.connectTimeout = .seconds(Int64.max)
        configuration.ackTimeout = .seconds(Int64.max)
      }
      try await rig.withClient(mode, change) { (client) async throws in try await client.connect() }
    }
  }

  @Test("no description of a setting, and no error, contains a password or a key")
  func secrets() throws {
    var configuration = SocketIOClient.Configuration()
    configuration.proxy = try .init(url: "http://mina:secret@proxy.example:3128")
    configuration.tls.identity = .pem(chain: [77], key: [88, 99])
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in [dumped, "\(configuration)", String(reflecting: configuration)] {
      #expect(!text.contains("secret") && !text.contains("88"), "\(text)")
    }
    #expect(throws: SocketIOError.badURL("***@x")) { try SocketIOClient.Proxy(url: "ftp://a:p@ss@x") }
    #expect(throws: SocketIOError.badURL("***@x")) { try SocketIOClient(url: "ftp://a:b@x") }
  }

  @Test(
    "a client that is closed while it opens a connection ends at once",
    arguments: [(ClientMode.webSocket, true), (.webSocket, false), (.polling, false)])
  func closedEarly(mode: ClientMode, byProxy: Bool) async throws {
    try await Relay.with(.answering("")) { (relay) async throws in
      var configuration = SocketIOClient.Configuration.quick
      configuration.transports = mode.transports
      configuration.connectTimeout = .seconds(360)
      if byProxy { configuration.proxy = try .init(url: "http://127.0.0.1:\(relay.port)") }
      let client = try SocketIOClient(
        url: "http://127.0.0.1:\(relay.port)", configuration: configuration, logger: .silent)
      let running = Task { await client.run() }
      // By now the connection is being opened.
      try await Task.sleep(for: .milliseconds(100))
      // Returns within the time limit, although there is no answer.
      await client.close()
      await running.value
    }
  }
}

extension SocketIOClient {
  /// Lets the client receive messages in one turn, as if they arrived in one segment.
  fileprivate func receive(_ messages: [String]) {
    for message in messages {
      received(EnginePacket(.message, Array(message.utf8)), connection: connectionCount)
    }
  }

  fileprivate func receivePings(_ count: Int) {
    for _ in 0..<count { received(EnginePacket(.ping), connection: connectionCount) }
  }

  /// Runs in one turn, before anything that it sends leaves.
  fileprivate func inOneTurn(_ body: @Sendable (isolated SocketIOClient) -> Void) { body(self) }

  /// Runs in one turn in which no packet waits for a POST.
  fileprivate func idle(_ body: @Sendable (isolated SocketIOClient) throws -> Void) async throws {
    while connection?.outbox.isEmpty != true { try await Task.sleep(for: .milliseconds(1)) }
    try body(self)
  }
}
