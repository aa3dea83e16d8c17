import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Limit of values in a packet from a client", .timeLimit(.minutes(5)))
struct ValueLimitTests {
  @Test(
    "an event with maxValuesPerPacket values is answered, and one with one more closes its session",
    arguments: [SocketParser.json, .msgpack], [ClientMode.polling, .webSocket])
  func limit(parser: SocketParser, mode: ClientMode) async throws {
    let settings = SocketIOServer.Configuration.changed {
      $0.parser = parser
      $0.maxValuesPerPacket = 6
    }
    try await TestServer.with(settings) { (server) async throws in
      try await server.withClient(mode, { $0.parser = parser }) { (client) async throws in
        try await client.connect()
        // The event's array, its name, the argument's array, and three numbers.
        let answer = try await client.emit("echo", [1, 2, 3], acknowledgedWithin: .seconds(60), as: [Int].self)
        #expect(answer == [1, 2, 3])
        try await client.emit("echo", [1, 2, 3, 4])
        await server.journal.wait(for: "left /: parse error")
      }
    }
  }

  @Test("100,000 numbers are within the default, and nearly half a million in one message are not")
  func defaults() async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient { (client) async throws in
        try await client.connect()
        let numbers = Array(0..<100_000)
        #expect(try await client.emit("echo", numbers, acknowledgedWithin: .seconds(60), as: [Int].self) == numbers)
        try await client.emit("echo", SocketArguments(Array(repeating: json("0"), count: 480_000)))
        await server.journal.wait(for: "left /: parse error")
      }
    }
  }
}
