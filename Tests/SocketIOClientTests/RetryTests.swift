import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@testable import SocketIOClient

@Suite("Repeated events", .timeLimit(.minutes(5)))
struct RetryTests {
  /// Makes the server ignore the first tries of events whose name begins with "deaf".
  private static func deaf(_ tries: Int) -> Rig.Declaration {
    { handlers, notes in
      handlers.on("deaf") { _, event in
        let missed = notes.add((try? event.decode(String.self)) ?? "?")
        if missed >= tries { event.acknowledge?(SocketArguments()) }
      }
    }
  }

  @Test("events are sent one at a time, and repeated until they are acknowledged", arguments: ClientMode.allCases)
  func again(mode: ClientMode) async throws {
    try await Rig.with(.changed { _ in }, Self.deaf(2)) { (rig) async throws in
      let change: (inout SocketIOClient.Configuration) -> Void = { configuration in
        configuration.retries = 5
        configuration.ackTimeout = .milliseconds(200)
      }
      try await rig.withClient(mode, change) { (client) async throws in
        try await client.connect()
        for text in ["a", "b", "c"] { try await client.emit("deaf", text) }
        try await client.note("end")
        // A server that was slow to answer may have received it twice.
        var firsts: [String] = []
        for note in rig.notes.all where !firsts.contains(note) { firsts.append(note) }
        #expect(firsts == ["a", "b", "c", "end"])
        let runs = rig.notes.all.split(whereSeparator: { $0 == "end" }).first ?? []
        #expect(runs.count { $0 == "a" } >= 3 && Array(runs) == runs.sorted(), "\(rig.notes.all)")
      }
    }
  }

  @Test("after its retries an event is dropped, and the waiting caller gets an error")
  func givenUp() async throws {
    try await Rig.with(.changed { _ in }, Self.deaf(.max)) { (rig) async throws in
      let change: (inout SocketIOClient.Configuration) -> Void = { configuration in configuration.retries = 2 }
      try await rig.withClient(.webSocket, change) { (client) async throws in
        try await client.connect()
        await #expect(throws: SocketIOError.timedOut) {
          try await client.emit("deaf", "a", acknowledgedWithin: .milliseconds(30))
        }
        try await client.note("next")
        #expect(rig.notes.all == ["a", "a", "a", "next"])
      }
    }
  }

  @Test(
    "the queue survives lost connections: no event is missing or out of order", arguments: ClientMode.allCases)
  func survives(mode: ClientMode) async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient(mode, { $0.retries = 100 }) { (client) async throws in
        try await client.connect()
        for number in 0..<60 {
          guard number % 10 == 5 else {
            try await client.emit("note", "\(number)")
            continue
          }
          // Nothing can be acknowledged before the connection is lost.
          try await client.connect()
          try await client.losing { try $0.emit("note", "\(number)") }
        }
        try await client.note("end")
        var firsts: [String] = []
        for note in rig.notes.all where !firsts.contains(note) { firsts.append(note) }
        #expect(firsts == (0..<60).map { "\($0)" } + ["end"])
      }
    }
  }

  @Test("a caller that waits for an acknowledgement gets it over the next connection", arguments: ClientMode.allCases)
  func answeredLater(mode: ClientMode) async throws {
    try await Rig.with(.changed { _ in }, Self.deaf(1)) { (rig) async throws in
      try await rig.withClient(mode, { $0.retries = 1 }) { (client) async throws in
        try await client.connect()
        // Longer than this test may take.
        let asked = Task { try await client.emit("deaf", "a", acknowledgedWithin: .seconds(3600)) }
        while rig.notes.all.isEmpty { await Task.yield() }
        await client.lose { _ in }
        _ = try await asked.value
        #expect(rig.notes.all == ["a", "a"])
      }
    }
  }

  @Test("the queue is limited, waits for its namespace, and drops events that no caller waits for")
  func bounded() async throws {
    try await Rig.with { (rig) async throws in
      var configuration = SocketIOClient.Configuration.quick
      (configuration.retries, configuration.maxQueuedEvents) = (1, 2)
      let client = try SocketIOClient(url: rig.url, configuration: configuration, logger: .silent)
      let updates = await client.updates(in: ["/"])
      let cancelled = Task { try await client.emit("note", "x", acknowledgedWithin: patience) }
      while await client.acknowledgements.isEmpty { await Task.yield() }
      try await client.emit("note", "a")
      await #expect(throws: SocketIOError.full(limit: "maxQueuedEvents")) { try await client.emit("note", "b") }
      await #expect(throws: SocketIOError.notConnected) { try await client.emit("note", "c", in: "/other") }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      async let running: Void = client.run()
      try await client.note("d")
      #expect(rig.notes.all == ["a", "d"])
      await client.close()
      await running
      _ = updates
    }
  }
}
