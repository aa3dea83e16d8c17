import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Limit of values in a packet from the server", .timeLimit(.minutes(5)))
struct ValueLimitTests {
  @Test(
    "an event with maxValuesPerPacket values is received, and one with one more ends the connection",
    arguments: [SocketParser.json, .msgpack], [ClientMode.polling, .webSocket])
  func limit(parser: SocketParser, mode: ClientMode) async throws {
    try await Rig.with(.changed { $0.parser = parser }) { (rig) async throws in
      func change(_ configuration: inout SocketIOClient.Configuration) {
        configuration.parser = parser
        configuration.maxValuesPerPacket = 6
      }
      try await rig.withClient(mode, change) { (client) async throws in
        var events = await client.connectionEvents().makeAsyncIterator()
        var echoes = await client.events("echo", as: [Int].self).makeAsyncIterator()
        try await client.connect()
        // The event's array, its name, the argument's array, and three numbers.
        try await client.emit("echo", [1, 2, 3])
        #expect(try await echoes.next(isolation: #isolation) == [1, 2, 3])
        try await client.emit("echo", [1, 2, 3, 4])
        var failure: SocketIOClient.Failure?
        while failure == nil, let event = try await events.next(isolation: #isolation) {
          if case .ended(let reason, wasOpen: true) = event { failure = reason }
        }
        #expect(failure == .lost(.parseError))
      }
    }
  }
}
