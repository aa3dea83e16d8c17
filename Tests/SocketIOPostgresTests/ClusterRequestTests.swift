import SocketIOClient
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@Suite("Requests to the servers of a cluster", .timeLimit(.minutes(5)))
struct ClusterRequestTests {
  private static let patience = Duration.seconds(60)

  @Test("a broadcast gathers the acknowledgements of all servers' sockets", arguments: AdapterKind.available)
  func acknowledgements(kind: AdapterKind) async throws {
    try await TestCluster.with(kind, servers: 3) { (cluster) async throws in
      for (index, server) in [0, 1, 1].enumerated() {
        _ = await (try await cluster.client(of: server)).answerQuestions(with: index)
      }
      let server = cluster.nodes[0].server
      let answers = try await server.emit("question", "?", to: .main(), timeout: Self.patience, answers: Int.self)
      #expect(answers.sorted() == [0, 1, 2])
      let own = try await server.emit(
        "question", "?", to: .main(isLocal: true), timeout: Self.patience, answers: Int.self)
      #expect(own == [0])
      #expect(try await server.emit("question", to: .main(["nobody"]), timeout: Self.patience).isEmpty)
    }
  }

  @Test(
    "a broadcast names the sockets of other servers that do not acknowledge in time", arguments: AdapterKind.available)
  func missing(kind: AdapterKind) async throws {
    try await TestCluster.with(kind) { (cluster) async throws in
      _ = await (try await cluster.client(of: 1)).answerQuestions(with: 5)
      let known = Set(await cluster.nodes[0].server.sockets(in: .main()).map(\.id))
      _ = try await cluster.client(of: 1)
      let silent = Set(await cluster.nodes[0].server.sockets(in: .main()).map(\.id)).subtracting(known)
      let error = await #expect(throws: BroadcastAckError.self) {
        try await cluster.nodes[0].server.emit("question", to: .main(), timeout: .seconds(30))
      }
      let missing = Set(error?.missing ?? [])
      #expect(missing.isSuperset(of: silent))
      #expect(error?.answers.allSatisfy { $0.values == [Array("5".utf8)] } ?? false)
      #expect(error?.silentServers == 0)
    }
  }

  @Test("the wait ends when the last client without an answer leaves another server", arguments: AdapterKind.available)
  func leaving(kind: AdapterKind) async throws {
    try await TestCluster.with(kind) { (cluster) async throws in
      let client = try await cluster.client(of: 1)
      var questions = await client.events("question").makeAsyncIterator()
      let server = cluster.nodes[0].server
      let outcome = Task { try await server.emit("question", to: .main(), timeout: .seconds(3600)) }
      _ = try await questions.next(isolation: #isolation)
      await client.leave("/")
      let error = await #expect(throws: BroadcastAckError.self) { try await outcome.value }
      #expect(error?.missing.count == 1)
    }
  }

  @Test("an event for servers reaches all others and gathers their answers", arguments: AdapterKind.available)
  func serverSide(kind: AdapterKind) async throws {
    try await TestCluster.with(kind, servers: 3) { (cluster) async throws in
      let (heard, continuation) = AsyncStream.makeStream(of: String.self)
      for (index, node) in cluster.nodes.enumerated() {
        node.server.onServerSide("ask", in: "/chat") { event in
          let number = (try? event.decode(Int.self)) ?? -1
          try? event.acknowledge?(number + index)
        }
        node.server.onServerSide("tell") { event in
          continuation.yield("\(index) \((try? event.decode(String.self)) ?? "")")
        }
      }
      let server = cluster.nodes[0].server
      let answers = try await server.serverSideEmit(
        "ask", 40, in: "/chat", timeout: Self.patience, answers: Int.self)
      #expect(answers.sorted() == [41, 42])
      try server.serverSideEmit("tell", "x")
      try cluster.nodes[1].server.serverSideEmit("tell", "y")
      var told: Set<String> = []
      for await entry in heard.prefix(4) { told.insert(entry) }
      #expect(told == ["1 x", "2 x", "0 y", "2 y"])
    }
  }

  @Test(
    "servers without a handler count as missing, and their answers are not awaited", arguments: AdapterKind.available)
  func withoutHandler(kind: AdapterKind) async throws {
    try await TestCluster.with(kind, servers: 3) { (cluster) async throws in
      cluster.nodes[1].server.onServerSide("ask") { $0.acknowledge?() }
      let error = await #expect(throws: ServerSideAckError.self) {
        try await cluster.nodes[0].server.serverSideEmit("ask", timeout: .seconds(3600))
      }
      #expect(error?.answers == [SocketArguments()])
      #expect(error?.missing == 1)
    }
  }

  @Test("after a server was killed, the others answer requests in time", arguments: AdapterKind.available)
  func killed(kind: AdapterKind) async throws {
    let limit = Duration.seconds(30)
    // Only a request's own time limit ends it here.
    func keepSilentServers(_ configuration: inout SocketIOServer.Configuration) {
      configuration.cluster.heartbeatTimeout = .seconds(3600)
      configuration.cluster.requestTimeout = limit
    }
    try await TestCluster.with(kind, servers: 3, keepSilentServers) { (cluster) async throws in
      for index in 0..<3 { _ = await (try await cluster.client(of: index)).answerQuestions(with: index) }
      for node in cluster.nodes { node.server.onServerSide("ask") { $0.acknowledge?() } }
      cluster.nodes[2].adapter.cut()
      let server = cluster.nodes[0].server
      #expect(await server.sockets(in: .main()).count == 2)
      let broadcast = await #expect(throws: BroadcastAckError.self) {
        try await server.emit("question", "?", to: .main(), timeout: limit, answers: Int.self)
      }
      #expect(broadcast?.answers.count == 2)
      #expect(broadcast?.silentServers == 1)
      let event = await #expect(throws: ServerSideAckError.self) {
        try await server.serverSideEmit("ask", timeout: limit)
      }
      #expect(event?.answers.count == 1)
      #expect(event?.missing == 1)
    }
  }

  @Test("a silent server is not awaited any longer", arguments: AdapterKind.available)
  func silent(kind: AdapterKind) async throws {
    func beatOften(_ configuration: inout SocketIOServer.Configuration) {
      configuration.cluster.heartbeatInterval = .milliseconds(50)
      configuration.cluster.heartbeatTimeout = .seconds(25)
      configuration.cluster.requestTimeout = .seconds(3600)
    }
    try await TestCluster.with(kind, servers: 3, beatOften) { (cluster) async throws in
      for index in 0..<3 { _ = try await cluster.client(of: index) }
      cluster.nodes[2].adapter.cut()
      // One request in progress while the server is given up, and one after it.
      for _ in 0..<2 { #expect(await cluster.nodes[0].server.sockets(in: .main()).count == 2) }
      #expect(cluster.nodes[0].server.clusterStats?.servers == 1)
    }
  }
}
