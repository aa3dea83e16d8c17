import Foundation
import NIOCore
import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Data of sockets", .timeLimit(.minutes(5)))
struct SocketDataTests {
  private static let patience = Duration.seconds(60)

  private struct Seat: Sendable, Equatable {
    var row: Int
  }

  private struct Unspeakable: SharedSocketData {
    static let socketDataName = "unspeakable"

    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "never"))
    }
  }

  @Test("data has at most one value of each type, read without a cast")
  func types() {
    var data = SocketData(Seat(row: 1), TestUser(number: 7, name: "a"), Seat(row: 2))
    #expect(data[Seat.self] == Seat(row: 2))
    #expect(data[TestUser.self]?.number == 7)
    #expect(data[String.self] == nil)
    data[Seat.self] = nil
    #expect(data[Seat.self] == nil && data[TestUser.self]?.name == "a")
    data[Seat.self] = Seat(row: 3)
    #expect(data[Seat.self]?.row == 3)
  }

  @Test("data is set at admission, seen by handlers, changed later, and returned with sockets")
  func changes() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.admit = { _ in .accept(SocketData(Seat(row: 1))) }
      handlers.on("move", as: Int.self) { socket, row, acknowledge in
        socket.withData { $0[Seat.self]?.row += row }
        try? acknowledge?(socket[Seat.self]?.row ?? -1)
      }
      handlers.on("stand") { socket, event in
        socket[Seat.self] = nil
        event.acknowledge?()
      }
      server.server.namespace("/seats", configure: handlers)
      try await server.withClient { (client) async throws in
        try await client.connect(to: "/seats")
        let moved = try await client.emit("move", 4, in: "/seats", acknowledgedWithin: Self.patience, as: Int.self)
        #expect(moved == 5)
        let target = BroadcastTarget(namespace: "/seats")
        #expect(await server.server.sockets(in: target).map { $0.data[Seat.self] } == [Seat(row: 5)])
        _ = try await client.emit("stand", in: "/seats", acknowledgedWithin: Self.patience)
        #expect(await server.server.sockets(in: target).map { $0.data[Seat.self] } == [nil])
      }
    }
  }

  @Test("data is visible to the other servers of a cluster only if its type is shared and it can be encoded")
  func shared() async throws {
    let settings = SocketIOServer.Configuration.changed { [adapter = InMemoryAdapter()] in
      $0.adapter = adapter
      ($0.cluster.heartbeatTimeout, $0.cluster.requestTimeout) = (.seconds(60), .seconds(60))
    }
    let asking = SocketIOServer(configuration: settings)
    try await TestServer.with(settings) { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.admit = { _ in .accept(SocketData(TestUser(number: 3, name: "c"), Seat(row: 1), Unspeakable())) }
      server.server.namespace("/shared", configure: handlers)
      try await server.withClient { (client) async throws in
        try await client.connect(to: "/shared")
        let found = await asking.sockets(in: BroadcastTarget(namespace: "/shared"))
        #expect(found.map { $0.data[TestUser.self] } == [TestUser(number: 3, name: "c")])
        #expect(found.map { $0.data[Seat.self] } == [nil])
        #expect(found.allSatisfy { $0.data[Unspeakable.self] == nil })
      }
    }
    await asking.shutdown()
  }

  @Test("a socket keeps the auth payload, which stays readable after admission")
  func auth() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("who") { socket, event in
        let auth = try? socket.auth(as: [String: String].self)
        try? event.acknowledge?(auth?["token"] ?? "none")
      }
      server.server.namespace("/auth", configure: handlers)
      try await server.withClient { (client) async throws in
        try await client.connect(to: "/auth", auth: json(#"{"token":"t"}"#))
        let who = try await client.emit("who", in: "/auth", acknowledgedWithin: Self.patience)
        #expect(who.values == [json(#""t""#)])
      }
    }
  }

  @Test("the auth payloads of a session together have a limit")
  func authLimit() async throws {
    try await TestServer.with(.changed { $0.maxAuthBytesPerSession = 40 }) { (server) async throws in
      let client = try await EngineClient(server, .webSocket)
      let auth = #"{"t":"1234567890123456"}"#
      #expect(try await client.join("/open1", auth: auth)?.hasPrefix("40/open1,") == true)
      #expect(try await client.join("/open2", auth: auth) == #"44/open2,{"message":"Payload too large"}"#)
      // Sockets that have left no longer count.
      try await client.send("41/open1,")
      #expect(try await client.join("/open2", auth: auth)?.hasPrefix("40/open2,") == true)
    }
  }

  @Test("data returns with a client that was lost, unchanged")
  func recovered() async throws {
    let configuration = SocketIOServer.Configuration.changed { configuration in
      configuration.recovery = SocketIOServer.Recovery()
      configuration.recovery?.offsets = .always
    }
    try await TestServer.with(configuration) { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.use { _, data in data[Seat.self] = Seat(row: 1) }
      handlers.connected = { socket in
        server.journal.note("row \(socket[Seat.self]?.row ?? 0) \(socket.isRecovered)")
        socket[Seat.self]?.row += 1
      }
      handlers.disconnected = { _, _ in server.journal.note("lost") }
      server.server.namespace("/back", configure: handlers)
      let lost = try await EngineClient(server, .webSocket)
      let answer = try #require(try await lost.join("/back"))
      let pid = try #require(answer.components(separatedBy: #""pid":""#).last?.prefix { $0 != "\"" })
      await server.journal.wait(for: "row 1 false")
      await lost.abort()
      await server.journal.wait(for: "lost")
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/back", auth: #"{"pid":"\#(pid)"}"#)
      await server.journal.wait(for: "row 2 true")
    }
  }

  /// Reports its release.
  private final class Canary: Sendable {
    let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    deinit { journal.note("freed") }
  }

  @Test("data is freed when its client has left, although listeners of the socket retain the socket")
  func freed() async throws {
    try await TestServer.with { (server) async throws in
      let handlers = NamespaceHandlers(connected: { socket in
        socket[Canary.self] = Canary(server.journal)
        socket.on("e") { _, _ in socket.emit("never") }
        socket.onDisconnected { _, _ in socket.emit("never") }
      })
      server.server.namespace("/freed", configure: handlers)
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/freed")
      try await client.send("41/freed,")
      await server.journal.wait(for: "freed")
    }
  }
}
