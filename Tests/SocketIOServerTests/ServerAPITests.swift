import Foundation
import Logging
import NIOCore
import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("The server's calls for applications", .timeLimit(.minutes(5)))
struct ServerAPITests {
  private static let target = BroadcastTarget(namespace: "/")
  private static let patience = Duration.seconds(60)

  /// Answers all questions of the server with a number.
  private static func answering(_ client: SocketIOClient, _ number: Int) async -> Task<Void, any Error> {
    let questions = await client.events("question")
    return Task {
      for try await question in questions {
        try await client.acknowledge(question, with: SocketArguments([json("\(number)")]), in: "/")
      }
    }
  }

  @Test("a broadcast gathers all acknowledgements, over all event loops")
  func broadcastWithAcks() async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient(.webSocket) { (first) async throws in
        try await server.withClient(.polling) { (second) async throws in
          for (number, client) in [first, second].enumerated() {
            try await client.connect()
            _ = await Self.answering(client, number)
          }
          let answers = try await server.server.emit(
            "question", "?", to: Self.target, timeout: Self.patience, answers: Int.self)
          #expect(answers.sorted() == [0, 1])
        }
      }
    }
  }

  @Test("a room whose name takes the square of its length to compare is not joined")
  func dearRooms() async throws {
    // 8,000 marks on one letter.
    let dear = "a" + String(repeating: "\u{301}\u{327}", count: 4000)
    var handlers = NamespaceHandlers()
    handlers.on("enter", as: String.self) { socket, room, acknowledge in
      socket.join(room)
      socket.join("garden")
      socket.leave(room)
      try? acknowledge?(true)
    }
    handlers.on("where", as: Bool.self) { socket, _, acknowledge in
      try? acknowledge?(socket.rooms.map(\.utf8.count))
    }
    try await TestServer.with { [handlers] (server) async throws in
      server.server.namespace("/rooms", configure: handlers)
      try await server.withClient(.webSocket) { (client) async throws in
        try await client.connect(to: "/rooms")
        _ = try await client.emit("enter", dear, in: "/rooms", acknowledgedWithin: Self.patience, as: Bool.self)
        let sizes = try await client.emit(
          "where", true, in: "/rooms", acknowledgedWithin: Self.patience, as: [Int].self)
        #expect(sizes == ["garden".utf8.count])
      }
    }
  }

  @Test("a client that does not acknowledge a broadcast in time is named, and the answers of the others are kept")
  func partialAcks() async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient { (answering) async throws in
        try await server.withClient { (silent) async throws in
          try await answering.connect()
          _ = await Self.answering(answering, 7)
          let known = Set(await server.server.sockets(in: Self.target).map(\.id))
          try await silent.connect()
          let ids = Set(await server.server.sockets(in: Self.target).map(\.id))
          // Waits for the answer that arrives before the timeouts.
          _ = try await server.server.emit(
            "question", to: .init(namespace: "/", rooms: known), timeout: Self.patience)
          do {
            _ = try await server.server.emit("question", to: Self.target, timeout: .seconds(10))
            Issue.record("nobody was missing")
          } catch let error as BroadcastAckError {
            #expect(Set(error.missing).isSuperset(of: ids.subtracting(known)))
            #expect(error.answers.allSatisfy { $0.values == [json("7")] })
          }
        }
      }
    }
  }

  @Test("the wait for a broadcast's acknowledgements ends when the last client without an answer leaves")
  func leaving() async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient { (client) async throws in
        try await client.connect()
        var questions = await client.events("question").makeAsyncIterator()
        let outcome = Task { try await server.server.emit("question", to: Self.target, timeout: .seconds(3600)) }
        _ = try await questions.next(isolation: #isolation)
        await client.leave("/")
        await #expect(throws: BroadcastAckError.self) { try await outcome.value }
      }
    }
  }

  @Test("a broadcast without recipients needs no acknowledgement")
  func nobody() async throws {
    try await TestServer.with { (server) async throws in
      #expect(try await server.server.emit("question", to: Self.target, timeout: Self.patience).isEmpty)
    }
  }

  @Test("sockets are found by room, moved between rooms and removed, all at once")
  func managing() async throws {
    try await TestServer.with { (server) async throws in
      try await server.withClient { (first) async throws in
        try await server.withClient { (second) async throws in
          try await first.connect()
          let ids = Set(await server.server.sockets(in: Self.target).map(\.id))
          try await second.connect()
          let red = BroadcastTarget(namespace: "/", rooms: ["red"])
          server.server.join(["red", "blue"], for: .init(namespace: "/", rooms: ids))
          let found = await server.server.sockets(in: red)
          #expect(Set(found.map(\.id)) == ids)
          #expect(found.first?.rooms == ["red", "blue"])
          #expect(found.first?.transport == .webSocket)
          var heard = await first.events("e", as: Int.self).makeAsyncIterator()
          try server.server.emit("e", 5, to: .init(namespace: "/", rooms: ["red", "blue"]))
          #expect(try await heard.next() == 5)
          server.server.leave(["red"], for: Self.target)
          #expect(await server.server.sockets(in: red).isEmpty)
          server.server.disconnectSockets(in: .init(namespace: "/", except: ["blue"]))
          await server.journal.wait(for: "left /: server namespace disconnect")
          #expect(Set(await server.server.sockets(in: Self.target).map(\.id)) == ids)
        }
      }
    }
  }

  private struct Message: Codable, Equatable, Sendable {
    var text: String
    var count: Int
  }

  private struct Oops: Error {}

  @Test("typed handlers receive values, answer with values, and see malformed events separately")
  func typed() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("plain", as: Message.self) { socket, message, _ in
        try? socket.emit("said", message, message.count)
      }
      handlers.on(
        "answer", as: Message.self,
        answer: { _, message in
          Message(text: message.text, count: message.count + 1)
        })
      handlers.on("raw") { _, event in event.acknowledge?(event.arguments) }
      handlers.on("fail", as: Int.self, answer: { (_, _) async throws -> Int in throw Oops() })
      handlers.onAny { _, event in server.journal.note("saw \(event.name)") }
      handlers.refused = { _, event, _ in server.journal.note("refused \(event.name)") }
      server.server.namespace("/typed", configure: handlers)
      try await server.withClient { (client) async throws in
        try await client.connect(to: "/typed")
        var said = await client.events("said", in: "/typed").makeAsyncIterator()
        let message = Message(text: "안녕/", count: 1)
        try await client.emit("plain", message, in: "/typed")
        let arguments = try #require(try await said.next(isolation: #isolation)).arguments
        #expect(try arguments.decode(Message.self) == message)
        #expect(try arguments.decode(Int.self, at: 1) == 1)
        let answer = try await client.emit(
          "answer", message, in: "/typed", acknowledgedWithin: .seconds(60), as: Message.self)
        #expect(answer.count == 2)
        try await client.emit("plain", 7, in: "/typed")
        await server.journal.wait(for: "refused plain")
        try await client.emit("fail", 7, in: "/typed")
        await server.journal.wait(for: "refused fail")
        await server.journal.wait(for: "saw answer")
      }
    }
  }

  @Test("asynchronous handlers of a socket run one after another; too many waiting close its session")
  func flood() async throws {
    try await TestServer.with(.changed { $0.maxWaitingEvents = 3 }) { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on(
        "work", as: Int.self,
        answer: { (_, number) async throws -> Int in
          server.journal.note("began \(number)")
          try await Task.sleep(for: .seconds(3600))
          return number
        })
      handlers.disconnected = { _, reason in server.journal.note("left: \(reason.rawValue)") }
      server.server.namespace("/work", configure: handlers)
      try await server.withClient { (client) async throws in
        try await client.connect(to: "/work")
        for number in 0..<5 { try? await client.emit("work", number, in: "/work") }
        await server.journal.wait(for: "left: forced close")
        let began = await server.journal.entries.filter { $0.hasPrefix("began") }
        #expect(began.allSatisfy { $0 == "began 0" })
      }
    }
  }

  @Test("a server alone serves until it is stopped, and then ends its sessions")
  func alone() async throws {
    let server = SocketIOServer(logger: .silent)
    server.namespace("/", configure: NamespaceHandlers())
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let running = Task { try await server.run(port: 0, stopsOnSignals: false) { continuation.yield($0) } }
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next(isolation: #isolation))
    var configuration = SocketIOClient.Configuration()
    configuration.transports = [.polling]
    let client = try SocketIOClient(url: "http://127.0.0.1:\(port)", configuration: configuration)
    let connecting = Task { await client.run() }
    try await client.connect()
    #expect(server.stats.sockets == 1)
    running.cancel()
    _ = await running.result
    #expect(server.stats.sessions == 0)
    await client.close()
    await connecting.value
  }

  @Test("a handshake shows a client's address, time and revision")
  func handshake() async throws {
    try await TestServer.with { (server) async throws in
      let before = Date()
      let client = try await EngineClient(server, .webSocket, query: "&room=a")
      _ = try await client.join("/")
      let handshake = try #require(await server.server.sockets(in: .init(namespace: "/")).first).handshake
      #expect(handshake.remoteAddress?.ipAddress == "127.0.0.1")
      // In whole milliseconds.
      #expect(
        (before.timeIntervalSince1970 * 1000 - 1...Date().timeIntervalSince1970 * 1000).contains(
          Double(handshake.issued)))
      #expect(handshake.revision == .v4 && handshake.transport == .webSocket && handshake.query["room"] == "a")
    }
  }

  @Test("a broadcast of a socket excludes itself and the named sockets")
  func except() async throws {
    try await TestServer.with { (server) async throws in
      var handlers = NamespaceHandlers()
      handlers.on("tell") { socket, event in
        socket.broadcast("told", event.arguments, except: ["deaf"])
        event.acknowledge?()
      }
      handlers.on("be-deaf") { socket, event in
        socket.join("deaf")
        event.acknowledge?()
      }
      server.server.namespace("/except", configure: handlers)
      try await server.withClient { (teller) async throws in
        try await server.withClient { (deaf) async throws in
          try await server.withClient { (listener) async throws in
            for client in [teller, deaf, listener] { try await client.connect(to: "/except") }
            _ = try await deaf.emit("be-deaf", in: "/except", acknowledgedWithin: .seconds(60))
            var heard = await listener.events("told", as: Int.self, in: "/except").makeAsyncIterator()
            var unheard = await deaf.events("told", as: Int.self, in: "/except").makeAsyncIterator()
            try await teller.emit("tell", 1, in: "/except")
            #expect(try await heard.next() == 1)
            server.server.emit("told", json: json("2"), to: "/except")
            #expect(try await unheard.next() == 2)
          }
        }
      }
    }
  }
}
