import NIOCore
import NIOPosix
import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Synchronization
import Testing

/// The listeners' notes, in order.
private final class Notes: Sendable {
  private let texts = Mutex<[String]>([])

  func add(_ text: String) { texts.withLock { $0.append(text) } }

  func take() -> [String] {
    texts.withLock { texts in
      defer { texts = [] }
      return texts
    }
  }
}

@Suite("Listeners to clients' events", .timeLimit(.minutes(5)))
struct ListenerTests {
  private static let patience = Duration.seconds(60)

  /// Runs `body` with a client in a separate namespace.
  ///
  /// - Parameter declare: Changes the initial handlers of the namespace, and what its sockets do in `connected`.
  private static func with(
    _ declare: (inout NamespaceHandlers, Notes) -> Void,
    _ body: (SocketIOClient, TestServer, Notes) async throws -> Void
  ) async throws {
    try await TestServer.with { (server) async throws in
      let notes = Notes()
      var handlers = NamespaceHandlers()
      // Answers when all earlier events have been dispatched.
      handlers.on("done") { _, event in event.acknowledge?() }
      declare(&handlers, notes)
      server.server.namespace("/l", configure: handlers)
      try await server.withClient { (client) async throws in
        try await client.connect(to: "/l")
        try await body(client, server, notes)
      }
    }
  }

  /// Sends events, and returns the notes made meanwhile.
  private static func send(_ names: String..., by client: SocketIOClient, _ notes: Notes) async throws -> [String] {
    for name in names { try await client.emit(name, in: "/l") }
    _ = try await client.emit("done", in: "/l", acknowledgedWithin: patience)
    return notes.take()
  }

  @Test("all listeners for one name are called in the order of registration, the namespace's before the socket's")
  func order() async throws {
    try await Self.with { handlers, notes in
      handlers.on("e") { _, _ in notes.add("n1") }
      handlers.on("e") { _, _ in notes.add("n2") }
      handlers.connected = { socket in
        socket.on("e") { _, _ in notes.add("s1") }
        socket.on("e") { _, _ in notes.add("s2") }
      }
    } _: { (client, _, notes) async throws in
      #expect(try await Self.send("e", "other", by: client, notes) == ["n1", "n2", "s1", "s2"])
    }
  }

  @Test("listeners for any name run first, prepended ones before them, and see events without other listeners")
  func any() async throws {
    try await Self.with { handlers, notes in
      handlers.on("e") { _, _ in notes.add("named") }
      handlers.onAny { _, event in if event.name != "done" { notes.add("any \(event.name)") } }
      handlers.connected = { socket in
        socket.onAny { _, event in if event.name != "done" { notes.add("own \(event.name)") } }
        socket.prependAny { _, event in if event.name != "done" { notes.add("first \(event.name)") } }
      }
    } _: { (client, _, notes) async throws in
      #expect(try await Self.send("e", by: client, notes) == ["first e", "any e", "own e", "named"])
      #expect(try await Self.send("unheard", by: client, notes) == ["first unheard", "any unheard", "own unheard"])
    }
  }

  @Test("once listeners run once for each socket, whether the namespace or the socket registered them")
  func once() async throws {
    try await Self.with { handlers, notes in
      handlers.once("e") { _, _ in notes.add("n") }
      handlers.once("number", as: Int.self) { _, number, _ in notes.add("\(number)") }
      handlers.connected = { socket in socket.once("e") { _, _ in notes.add("s") } }
    } _: { (client, server, notes) async throws in
      #expect(try await Self.send("e", "e", by: client, notes) == ["n", "s"])
      try await client.emit("number", 1, in: "/l")
      try await client.emit("number", 2, in: "/l")
      #expect(try await Self.send("e", by: client, notes) == ["1"])
      try await server.withClient { (other) async throws in
        try await other.connect(to: "/l")
        #expect(try await Self.send("e", "e", by: other, notes) == ["n", "s"])
      }
    }
  }

  @Test("a listener removed during an event is not called again; an added one is called from the next event on")
  func removal() async throws {
    try await Self.with { handlers, notes in
      handlers.connected = { socket in
        let doomed = Mutex<[Socket.Listener]>([])
        socket.on("e") { socket, _ in
          notes.add("remover")
          for listener in doomed.withLock({ $0 }) { socket.off(listener) }
          socket.once("e") { _, _ in notes.add("added") }
        }
        let listener = socket.on("e") { _, _ in notes.add("doomed") }
        doomed.withLock { $0.append(listener) }
        socket.on("e") { _, _ in notes.add("last") }
      }
    } _: { (client, _, notes) async throws in
      #expect(try await Self.send("e", by: client, notes) == ["remover", "last"])
      #expect(try await Self.send("e", by: client, notes) == ["remover", "last", "added"])
    }
  }

  @Test("listeners of a namespace are removed for one socket only, by their token or by their name")
  func off() async throws {
    let latest = Mutex<Socket?>(nil)
    let heard = Mutex<Socket.Listener?>(nil)
    try await Self.with { handlers, notes in
      let listener = handlers.on("e") { _, _ in notes.add("heard") }
      heard.withLock { $0 = listener }
      handlers.on("f") { _, _ in notes.add("f") }
      let gone = handlers.onAny { _, _ in notes.add("never") }
      handlers.off(gone)
      handlers.connected = { socket in latest.withLock { $0 = socket } }
    } _: { (client, server, notes) async throws in
      let socket = try #require(latest.withLock { $0 })
      socket.off(try #require(heard.withLock { $0 }))
      socket.offAll("f")
      // The answer to this comes after earlier work of the loop.
      _ = try await Self.send(by: client, notes)
      #expect(try await Self.send("e", "f", by: client, notes).isEmpty)
      try await server.withClient { (other) async throws in
        try await other.connect(to: "/l")
        #expect(try await Self.send("e", "f", by: other, notes) == ["heard", "f"])
      }
    }
  }

  @Test("listeners to outgoing events see their client's events and broadcasts, with arguments, in order")
  func outgoing() async throws {
    try await Self.with { handlers, notes in
      handlers.connected = { socket in
        socket.onAnyOutgoing { _, event in
          notes.add("\(event.name) \(event.arguments.values.map { String(decoding: $0, as: UTF8.self) })")
        }
        socket.prependAnyOutgoing { _, event in notes.add("first \(event.name)") }
        try? socket.emit("own", 1)
      }
    } _: { (client, server, notes) async throws in
      var told = await client.events("told", in: "/l").makeAsyncIterator()
      try server.server.emit("told", 2, to: BroadcastTarget(namespace: "/l"))
      _ = try await told.next(isolation: #isolation)
      #expect(notes.take() == ["first own", #"own ["1"]"#, "first told", #"told ["2"]"#])
      let answering = Task { [questions = await client.events("question", in: "/l")] in
        for try await question in questions { try await client.acknowledge(question, in: "/l") }
      }
      let target = BroadcastTarget(namespace: "/l")
      _ = try await server.server.emit("question", to: target, timeout: .seconds(60))
      #expect(notes.take() == ["first question", "question []"])
      answering.cancel()
    }
  }

  @Test("asynchronous listeners run one after another in the socket's task, off its event loop")
  func perform() async throws {
    let latest = Mutex<Socket?>(nil)
    try await Self.with { handlers, notes in
      handlers.on("slow") { _, event in notes.add("came") }
      handlers.on(
        "slow",
        perform: { socket, event in
          socket.join("r")
          let isOnLoop = MultiThreadedEventLoopGroup.currentEventLoop != nil
          notes.add(isOnLoop || !socket.isConnected || socket.currentTransport != .webSocket ? "wrong" : "began")
          await Task.yield()
          latest.withLock { $0 = socket }
          notes.add("ended")
          event.acknowledge?()
        })
    } _: { (client, _, notes) async throws in
      try await client.emit("slow", in: "/l")
      _ = try await client.emit("slow", in: "/l", acknowledgedWithin: Self.patience)
      #expect(notes.take().filter { $0 != "came" } == ["began", "ended", "began", "ended"])
      #expect(latest.withLock { $0?.rooms } == ["r"])
    }
  }
}
