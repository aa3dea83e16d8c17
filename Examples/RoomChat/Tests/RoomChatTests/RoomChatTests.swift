import RoomChat
import SocketIOClient
import Testing

@Suite struct RoomChatTests {
  /// A client of the chat that has come in under a name.
  private static func join(_ name: String, at port: Int) async throws -> SocketIOClient {
    let client = try SocketIOClient(url: "http://127.0.0.1:\(port)")
    Task { await client.run() }
    try await client.connect(to: RoomChat.namespace, auth: ["name": name])
    return client
  }

  private static func call(_ event: String, _ value: some Encodable & Sendable, by client: SocketIOClient) async throws
    -> Bool
  {
    try await client.emit(event, value, in: RoomChat.namespace, acknowledgedWithin: .seconds(10), as: Bool.self)
  }

  /// Runs a server on a free port for the body.
  private static func withServer(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    let (ports, port) = AsyncStream<Int>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await RoomChat.server().run(port: 0, stopsOnSignals: false) { port.yield($0) }
      }
      for await port in ports {
        try await body(port)
        break
      }
      group.cancelAll()
      // The server ends with the cancellation.
      while let ended = await group.nextResult() { _ = ended }
    }
  }

  @Test func whatIsSaidInARoomIsHeardThereUnderTheNameOfWhoSaidIt() async throws {
    try await Self.withServer { port in
      let (mina, joon) = (try await Self.join("Mina", at: port), try await Self.join("Joon", at: port))
      #expect(try await Self.call("enter", "garden", by: mina))
      #expect(try await Self.call("enter", "garden", by: joon))
      let heard = await joon.events("said", as: Said.self, in: RoomChat.namespace)
      #expect(try await Self.call("say", Said(room: "garden", from: "Sora", text: "Rain!"), by: mina))
      var sayings = heard.makeAsyncIterator()
      #expect(try await sayings.next() == Said(room: "garden", from: "Mina", text: "Rain!"))
      await mina.close()
      await joon.close()
    }
  }

  @Test func nobodySpeaksInARoomThatTheyHaveNotEntered() async throws {
    try await Self.withServer { port in
      let mina = try await Self.join("Mina", at: port)
      #expect(try await !Self.call("say", Said(room: "garden", from: "Mina", text: "Rain!"), by: mina))
      await mina.close()
    }
  }

  @Test func whoHasNoNameIsRefused() async throws {
    try await Self.withServer { port in
      let client = try SocketIOClient(url: "http://127.0.0.1:\(port)")
      Task { await client.run() }
      await #expect(throws: SocketIOError.self) { try await client.connect(to: RoomChat.namespace) }
      await client.close()
    }
  }
}
