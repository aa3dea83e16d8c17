import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@testable import SocketIOClient

@Suite("Delivery of emitted events", .timeLimit(.minutes(5)))
struct DeliveryTests {
  @Test(
    "events emitted before their namespace is joined arrive in order, and before later ones",
    arguments: ClientMode.allCases)
  func early(mode: ClientMode) async throws {
    try await Rig.with { (rig) async throws in
      var configuration = SocketIOClient.Configuration.quick
      configuration.transports = mode.transports
      let client = try SocketIOClient(url: rig.url, configuration: configuration, logger: .silent)
      let updates = await client.updates(in: ["/"])
      var expected: [String] = []
      for number in 0..<50 {
        try await client.emit("note", "early \(number)")
        expected.append("early \(number)")
      }
      async let running: Void = client.run()
      for try await update in updates { if case .connected = update.kind { break } }
      try await client.connect()
      try await client.note("late")
      #expect(rig.notes.all == expected + ["late"])
      await client.close()
      await running
    }
  }

  @Test("events emitted while the connection is lost arrive after it is restored", arguments: ClientMode.allCases)
  func lost(mode: ClientMode) async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient(mode) { (client) async throws in
        try await client.connect()
        var expected: [String] = []
        for round in 0..<5 {
          await client.lose { client in
            for number in 0..<10 { try? client.emit("note", "\(round) \(number)") }
          }
          expected += (0..<10).map { "\(round) \($0)" }
          try await client.note("\(round)")
          expected.append("\(round)")
        }
        #expect(rig.notes.all == expected)
      }
    }
  }

  @Test("events emitted over a connection that is about to end are kept for the next one")
  func ending() async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient { (client) async throws in
        try await client.connect()
        try await client.failing { try $0.emit("note", "a") }
        try await client.note("b")
        #expect(rig.notes.all == ["a", "b"])
      }
    }
  }

  @Test("kept events of a namespace stay when a reader starts to read its updates")
  func readLater() async throws {
    try await Rig.with { (rig) async throws in
      let client = try SocketIOClient(url: rig.url, configuration: .quick, logger: .silent)
      let joining = Task { try await client.connect() }
      while await !client.isActive() { await Task.yield() }
      let asked = Task { try await client.emit("echo", 1, acknowledgedWithin: patience, as: Int.self) }
      while await client.acknowledgements.isEmpty { await Task.yield() }
      let updates = await client.updates(in: ["/"])
      async let running: Void = client.run()
      #expect(try await asked.value == 1)
      try await joining.value
      await client.close()
      await running
      _ = updates
    }
  }

  @Test("the number of kept events is limited, also to zero, and none is kept for a namespace that was not requested")
  func limits() async throws {
    var configuration = SocketIOClient.Configuration()
    configuration.maxOfflineEvents = 2
    configuration.maxOfflineBytes = 1000
    var client = try SocketIOClient(url: "http://127.0.0.1:1", configuration: configuration)
    var updates = await client.updates(in: ["/"])
    await #expect(throws: SocketIOError.full(limit: "maxOfflineBytes")) {
      try await client.emit("e", String(repeating: "x", count: 1000))
    }
    for _ in 0..<2 { try await client.emit("e") }
    await #expect(throws: SocketIOError.full(limit: "maxOfflineEvents")) { try await client.emit("e") }
    await #expect(throws: SocketIOError.full(limit: "maxOfflineEvents")) {
      try await client.emit("e", acknowledgedWithin: patience)
    }
    await #expect(throws: SocketIOError.notConnected) { try await client.emit("e", in: "/other") }
    configuration.maxOfflineEvents = 0
    client = try SocketIOClient(url: "http://127.0.0.1:1", configuration: configuration)
    updates = await client.updates(in: ["/"])
    await #expect(throws: SocketIOError.notConnected) { try await client.emit("e") }
    await #expect(throws: SocketIOError.reservedName("connect")) { try await client.emit("connect") }
    _ = updates
  }

  @Test("a volatile event is sent at once or never", arguments: ClientMode.allCases)
  func volatile(mode: ClientMode) async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient(mode) { (client) async throws in
        try await client.emit("note", "unasked for", isVolatile: true)
        try await client.connect()
        await client.lose { try? $0.emit("note", "away", isVolatile: true) }
        try await client.note("kept")
        try await client.emit("note", "there", isVolatile: true)
        try await client.note("last")
        #expect(rig.notes.all == ["kept", "there", "last"])
      }
    }
  }

  @Test("an event whose acknowledgement is not awaited any longer is not sent later")
  func lateAck() async throws {
    try await Rig.with { (rig) async throws in
      let client = try SocketIOClient(url: rig.url, configuration: .quick, logger: .silent)
      let updates = await client.updates(in: ["/"])
      let cancelled = Task { try await client.emit("note", "cancelled", acknowledgedWithin: patience) }
      while await client.acknowledgements.isEmpty { await Task.yield() }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      await #expect(throws: SocketIOError.timedOut) {
        try await client.emit("note", "timed out", acknowledgedWithin: .milliseconds(20))
      }
      async let running: Void = client.run()
      try await client.note("after")
      #expect(rig.notes.all == ["after"])
      await client.close()
      await running
      _ = updates
    }
  }

  @Test("kept events fail when the client is closed, when it is refused, and when their namespace is left")
  func endings() async throws {
    let client = try SocketIOClient(url: "http://127.0.0.1:1", configuration: .quick, logger: .silent)
    let updates = await client.updates(in: ["/", "/left"])
    let (closed, left) = (client.asking("/"), client.asking("/left"))
    while await client.acknowledgements.count < 2 { await Task.yield() }
    await client.leave("/left")
    await #expect(throws: SocketIOError.notConnected) { try await left.value }
    await client.close()
    await #expect(throws: SocketIOError.closed) { try await closed.value }
    _ = updates
    let refusing: Rig.Declaration = { handlers, _ in
      handlers.use { _, _ in throw ConnectRefusal(message: "no") }
    }
    try await Rig.with(.changed { _ in }, refusing) { (rig) async throws in
      try await rig.withClient { (client) async throws in
        let joining = Task { try await client.connect() }
        while await !client.isActive() { await Task.yield() }
        let asking = client.asking("/")
        await #expect(throws: SocketIOError.self) { try await joining.value }
        let error = await #expect(throws: SocketIOError.self) { try await asking.value }
        // The event may have been emitted after the refusal.
        #expect(error == .notConnected || error?.description == "the server refused: no")
      }
    }
  }
}
