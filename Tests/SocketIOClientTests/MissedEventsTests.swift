import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@testable import SocketIOClient

@Suite("Events before the answer to CONNECT", .timeLimit(.minutes(1)))
struct MissedEventsTests {
  /// Has a client hear events and then an answer, as from Node's server when it returns.
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

  @Test("those of a client that has its socket back are heard behind the answer, in order and without their offsets")
  func recovered() async throws {
    try await Self.returning(limit: 100, pid: nil) { (client, news) async throws in
      for number in 0..<2 {
        #expect(try await news.next(isolation: #isolation)?.arguments == SocketArguments([json("\(number)")]))
      }
      #expect(await client.claims["/"]?.offset == "o1")
      #expect(await client.isRecovered())
    }
  }

  @Test("those of a client that gets a new socket are dropped")
  func anew() async throws {
    try await Self.returning(limit: 100, pid: "other") { (client, news) async throws in
      await client.hear(json(#"2["news",7]"#))
      #expect(try await news.next(isolation: #isolation)?.arguments == SocketArguments([json("7")]))
    }
  }

  @Test("a client that missed more than it may hold gives its socket up")
  func tooMany() async throws {
    try await Self.returning(limit: 1, pid: nil) { (client, _) async throws in
      #expect(await !client.isRecovered())
    }
  }

  @Test("what is held has a limit in number and one in bytes, over all namespaces")
  func limits() {
    var configuration = SocketIOClient.Configuration()
    configuration.maxWaitingUpdates = 6
    // Each of them counts 64 bytes for its value as well.
    configuration.maxMessageBytes = 10 + 2 * 64
    func event(_ size: Int) -> SocketEvent {
      SocketEvent(name: "e", arguments: SocketArguments([Array(repeating: 0x31, count: size - 1)]))
    }
    var missed = MissedEvents()
    var taken: [Bool] = []
    for (size, namespace) in [(6, "/"), (5, "/a"), (4, "/a")] {
      taken.append(missed.append(event(size), in: namespace, configuration))
    }
    #expect(taken == [true, false, true])
    let first = missed.take("/")
    #expect(first.count == 1)
    configuration.maxMessageBytes = 10_000
    taken = (0..<3).map { _ in missed.append(event(1), in: "/", configuration) }
    #expect(taken == [true, true, false])
    let (none, one) = (missed.take("/"), missed.take("/a"))
    #expect(none.isEmpty && one.count == 1)
  }
}

extension SocketIOClient {
  /// Asks for `/` anew, and hears numbered events before the answer; all in one turn.
  ///
  /// - Parameter pid: That of the answer; `nil`: that of before.
  fileprivate func hear(events count: Int, answeredWith pid: String?) {
    let pid = pid ?? claims["/"]?.pid ?? ""
    _ = connection?.socket.disconnect("/")
    _ = connection?.socket.connect("/")
    for number in 0..<count { hear(json(#"2["news",\#(number),"o\#(number)"]"#)) }
    hear(json(#"0{"sid":"s","pid":"\#(pid)"}"#))
  }

  fileprivate func hear(_ message: [UInt8]) { received(EnginePacket(.message, message), connection: connectionCount) }
}
