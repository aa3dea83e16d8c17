import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@testable import SocketIOClient

@Suite("Sequences of events", .timeLimit(.minutes(5)))
struct ListeningTests {
  @Test(
    "several values are sent and received, and answers and acknowledgements have values", arguments: ClientMode.allCases
  )
  func severalValues(mode: ClientMode) async throws {
    let asking: Rig.Declaration = { handlers, notes in
      handlers.on("ask") { socket, event in
        Task {
          let answer = try? await socket.emit("question", 6, 7, timeout: patience, answer: Int.self)
          notes.add("\(answer ?? -1)")
          event.acknowledge?(SocketArguments())
        }
      }
    }
    try await Rig.with(.changed { _ in }, asking) { (rig) async throws in
      try await rig.withClient(mode) { (client) async throws in
        try await client.connect()
        var moves = await client.events("echo", as: String.self, Int.self, [Double].self).makeAsyncIterator()
        try await client.emit("echo", "rook", 3, [1.5])
        let move = try #require(try await moves.next())
        #expect(move == ("rook", 3, [1.5]))
        #expect(try await client.emit("echo", 42, "x", acknowledgedWithin: patience, as: Int.self) == 42)
        let both = try await client.emit("echo", 42, "x", acknowledgedWithin: patience)
        #expect(both.values == [json("42"), json(#""x""#)])

        async let next: SocketEvent = client.once("question")
        while await !client.isListening(to: "question") { try await Task.sleep(for: .milliseconds(1)) }
        async let asked: SocketArguments = client.emit("ask", acknowledgedWithin: patience)
        let question = try await next
        let (a, b) = (try question.arguments.decode(Int.self), try question.arguments.decode(Int.self, at: 1))
        try await client.acknowledge(question, with: a * b)
        _ = try await asked
        #expect(rig.notes.all == ["42"])

        try await client.emit("echo", "rook")
        await #expect(throws: DecodingError.self) { _ = try await moves.next() }
      }
    }
  }

  @Test("all events are reported, and all outgoing ones, kept events when they are sent")
  func allAndOutgoing() async throws {
    try await Rig.with { (rig) async throws in
      let client = try SocketIOClient(url: rig.url, configuration: .quick, logger: .silent)
      let updates = await client.updates(in: ["/"])
      var received = await client.allEvents().makeAsyncIterator()
      var sent = await client.outgoingEvents().makeAsyncIterator()
      try await client.emit("echo", 1)
      try await client.emit("echo", 0, isVolatile: true)
      async let running: Void = client.run()
      #expect(try await received.next(isolation: #isolation)?.arguments.values == [json("1")])
      try await client.emit("note", "x", acknowledgedWithin: patience)
      try await client.emit("echo", 2, isVolatile: true)
      rig.server.emit("other", json: json("3"), to: "/")
      var seen: [String: [UInt8]] = [:]
      while seen.count < 2, let event = try await received.next(isolation: #isolation) {
        seen[event.name] = event.arguments.values.first
      }
      #expect(seen == ["echo": json("2"), "other": json("3")])
      var names: [String] = []
      while names.count < 3, let event = try await sent.next(isolation: #isolation) {
        names.append("\(event.name) \(String(decoding: event.arguments.joined, as: UTF8.self))")
      }
      #expect(names == ["echo 1", #"note "x""#, "echo 2"])
      await client.leave("/")
      #expect(try await sent.next(isolation: #isolation) == nil)
      await client.close()
      await running
      _ = updates
    }
  }

  @Test("once waits for one event, and ends with its namespace, its client or its task")
  func once() async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient { (client) async throws in
        try await client.connect()
        async let hello: (String, Int) = client.once("echo", as: String.self, Int.self)
        while await client.listeners.isEmpty { await Task.yield() }
        try await client.emit("echo", "hello", 1)
        #expect(try await hello == ("hello", 1))
        while await !client.listeners.isEmpty { await Task.yield() }
        let cancelled = Task { try await client.once("never") }
        while await client.listeners.isEmpty { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let left = Task { try await client.once("never") }
        while await client.listeners.isEmpty { await Task.yield() }
        await client.leave("/")
        await #expect(throws: SocketIOError.closed) { try await left.value }
      }
    }
  }

  @Test("a reader that stops is removed, and one that falls behind gets an error")
  func readers() async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient(.webSocket, { $0.maxWaitingUpdates = 3 }) { (client) async throws in
        try await client.connect()
        do { _ = await client.events("echo").makeAsyncIterator() }
        while await !client.listeners.isEmpty { await Task.yield() }
        var slow = await client.outgoingEvents().makeAsyncIterator()
        for _ in 0..<4 { try await client.emit("note") }
        for _ in 0..<3 { _ = try await slow.next(isolation: #isolation) }
        await #expect(throws: SocketIOError.tooSlow) { try await slow.next(isolation: #isolation) }
      }
    }
  }
}
