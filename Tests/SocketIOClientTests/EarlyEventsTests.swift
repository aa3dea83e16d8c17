import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@testable import SocketIOClient

@Suite("Events before the answer to CONNECT", .timeLimit(.minutes(5)))
struct EarlyEventsTests {
  /// Delivers events and then an answer to a client, like Node's server to a returning client.
  private static func returning(
    limit: Int, pid: String?, _ body: (SocketIOClient, inout SocketIOClient.Events.AsyncIterator) async throws -> Void
  ) async throws {
    try await Rig.with(.changed { $0.recovery = .init() }) { (rig) async throws in
      try await rig.withClient(.webSocket, { $0.maxWaitingUpdates = limit }) { (client) async throws in
        var news = await client.events("news").makeAsyncIterator()
        try await client.connect()
        await client.hear(events: 2, answeredWith: pid)
        try await body(client, &news)
      }
    }
  }

  @Test("a client that returns to its socket receives them after the answer, in order and without offsets")
  func recovered() async throws {
    try await Self.returning(limit: 100, pid: nil) { (client, news) async throws in
      for number in 0..<2 {
        #expect(try await news.next(isolation: #isolation)?.arguments == SocketArguments([json("\(number)")]))
      }
      #expect(await client.claims["/"]?.offset == "o1")
      #expect(await client.isRecovered())
    }
  }

  @Test("a client with a new socket receives them after the answer")
  func anew() async throws {
    try await Self.returning(limit: 100, pid: "other") { (client, news) async throws in
      for number in 0..<2 {
        #expect(try await news.next(isolation: #isolation)?.arguments == SocketArguments([json("\(number)")]))
      }
      #expect(await !client.isRecovered())
    }
  }

  @Test("a new client receives them after the answer")
  func first() async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient { (client) async throws in
        var news = await client.events("news").makeAsyncIterator()
        try await client.connect()
        await client.hear(events: 2, answeredWith: nil)
        #expect(await client.claims["/"] == nil)
        for number in 0..<2 {
          let event = try await news.next(isolation: #isolation)
          #expect(event?.arguments.values.first == json("\(number)"))
        }
      }
    }
  }

  @Test("if a new client receives more early events than it may hold, its sequences end with an error")
  func tooManyAtFirst() async throws {
    try await Rig.with { (rig) async throws in
      try await rig.withClient(.webSocket, { $0.maxWaitingUpdates = 3 }) { (client) async throws in
        var news = await client.events("news").makeAsyncIterator()
        try await client.connect()
        await client.hear(events: 2, answeredWith: nil)
        await #expect(throws: SocketIOError.tooSlow) { _ = try await news.next(isolation: #isolation) }
        #expect(await client.isConnected())
      }
    }
  }

  @Test("if a returning client receives more early events than it may hold, its socket counts as new")
  func tooMany() async throws {
    try await Self.returning(limit: 1, pid: nil) { (client, _) async throws in
      #expect(await !client.isRecovered())
    }
  }

  @Test("held events are limited in number and in bytes, over all namespaces")
  func limits() {
    var configuration = SocketIOClient.Configuration()
    configuration.maxWaitingUpdates = 6
    // Each event's value counts 64 bytes in addition.
    configuration.maxMessageBytes = 10 + 2 * 64
    func event(_ size: Int) -> SocketEvent {
      SocketEvent(name: "e", arguments: SocketArguments([Array(repeating: 0x31, count: size - 1)]))
    }
    var early = EarlyEvents()
    for (size, namespace) in [(6, "/"), (5, "/a"), (4, "/b")] {
      early.append(event(size), in: namespace, configuration)
    }
    // All events of a namespace without room are dropped; the next time there may be room.
    early.append(event(1), in: "/a", configuration)
    let taken = ["/", "/a", "/b", "/a"].map { early.take($0)?.count }
    #expect(taken == [1, nil, 1, 0])
    configuration.maxMessageBytes = 10_000
    for _ in 0..<4 { early.append(event(1), in: "/", configuration) }
    let none = early.take("/")
    #expect(none == nil)
  }
}

extension SocketIOClient {
  /// Asks for `/` again, and receives numbered events before the answer, all in one turn.
  ///
  /// - Parameter pid: The answer's private id; `nil` for the former one.
  fileprivate func hear(events count: Int, answeredWith pid: String?) {
    let pid = pid ?? claims["/"]?.pid
    _ = connection?.socket.disconnect("/")
    _ = connection?.socket.connect("/")
    for number in 0..<count { hear(json(#"2["news",\#(number),"o\#(number)"]"#)) }
    hear(json(#"0{"sid":"s"\#(pid.map { #","pid":"\#($0)""# } ?? "")}"#))
  }

  fileprivate func hear(_ message: [UInt8]) { received(EnginePacket(.message, message), connection: connectionCount) }
}
