import Logging
import NIOCore
import SocketIOClient
import SocketIOPostgres
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

/// The adapters with which all behaviour of a cluster is tested.
enum AdapterKind: CaseIterable, Sendable {
  case inMemory
  case postgres

  static var available: [AdapterKind] { PostgresServer.url == nil ? [.inMemory] : allCases }
}

/// Several servers in this process that share an adapter, each on its own port. Every client may join `/`.
actor TestCluster {
  struct Node: Sendable {
    let server: SocketIOServer
    let port: Int
    let adapter: ObservedAdapter
    fileprivate let running: Task<Void, any Error>
  }

  let nodes: [Node]
  private var clients: [(client: SocketIOClient, running: Task<Void, Never>)] = []

  private init(_ nodes: [Node]) { self.nodes = nodes }

  /// Runs the body after all servers have found each other.
  static func with(
    _ kind: AdapterKind, servers: Int = 2, _ change: (inout SocketIOServer.Configuration) -> Void = { _ in },
    _ body: (TestCluster) async throws -> Void
  ) async throws {
    switch kind {
    case .inMemory:
      let adapter = InMemoryAdapter()
      try await with(Array(repeating: adapter, count: servers), change, body)
    case .postgres:
      try await withPostgres { adapter in
        try await with(Array(repeating: adapter, count: servers), change, body)
      }
    }
  }

  /// Runs the body with an adapter that has its own schema and channel.
  static func withPostgres(_ body: (PostgresAdapter) async throws -> Void) async throws {
    try await PostgresServer.withSchema { url in
      var adapter = PostgresAdapter(url: url)
      adapter.channel = "test_\(UInt64.random(in: .min ... .max))"
      adapter.reconnectDelay = .milliseconds(20)
      // Longer than PostgreSQL stands still on a busy machine.
      (adapter.maxQueueAge, adapter.statementTimeout) = (.seconds(60), .seconds(60))
      adapter.connectTimeout = .seconds(60)
      try await body(adapter)
    }
  }

  static func with(
    _ adapters: [any SocketIOAdapter], _ change: (inout SocketIOServer.Configuration) -> Void = { _ in },
    _ body: (TestCluster) async throws -> Void
  ) async throws {
    var nodes: [Node] = []
    for adapter in adapters { nodes.append(try await start(ObservedAdapter(adapter), change)) }
    let cluster = TestCluster(nodes)
    let result: Result<Void, any Error>
    do {
      for node in nodes {
        #expect(await eventually { node.server.clusterStats?.servers == nodes.count - 1 })
      }
      result = .success(try await body(cluster))
    } catch {
      result = .failure(error)
    }
    await cluster.stop()
    try result.get()
  }

  private static func start(
    _ adapter: ObservedAdapter, _ change: (inout SocketIOServer.Configuration) -> Void
  ) async throws -> Node {
    var configuration = SocketIOServer.Configuration()
    configuration.closeTimeout = .milliseconds(100)
    configuration.cluster.heartbeatTimeout = .seconds(60)
    configuration.cluster.requestTimeout = .seconds(60)
    change(&configuration)
    configuration.adapter = adapter
    let server = SocketIOServer(
      configuration: configuration, logger: .silent)
    server.namespace("/", configure: handlers)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let running = Task { try await server.run(port: 0, stopsOnSignals: false) { continuation.yield($0) } }
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next(isolation: #isolation))
    return Node(server: server, port: port, adapter: adapter, running: running)
  }

  private static var handlers: NamespaceHandlers {
    var handlers = NamespaceHandlers()
    handlers.admit = { request in
      .accept(SocketData(Place(auth: String(decoding: request.auth, as: UTF8.self)), Secret()))
    }
    handlers.on("join", as: String.self) { socket, room, acknowledge in
      socket.join(room)
      acknowledge?()
    }
    handlers.on("tell-others") { socket, event in socket.broadcast("e", event.arguments) }
    return handlers
  }

  /// A client of the server with this index, in `/` and in these rooms.
  func client(of index: Int, in rooms: String...) async throws -> SocketIOClient {
    var configuration = SocketIOClient.Configuration()
    configuration.transports = [.webSocket]
    configuration.query = [("color", "red&blue")]
    // Tests send bursts, which a busy machine reads late.
    configuration.maxWaitingUpdates = 100_000
    let client = try SocketIOClient(
      url: "http://127.0.0.1:\(nodes[index].port)", configuration: configuration,
      logger: .silent)
    clients.append((client, Task { await client.run() }))
    try await client.connect(auth: Array(#"{"at":\#(index)}"#.utf8))
    for room in rooms {
      let name = SocketArguments([JSONText.quotedBytes(room)])
      _ = try await client.emit("join", name, in: "/", acknowledgedWithin: .seconds(60))
    }
    return client
  }

  private func stop() async {
    for (client, running) in clients {
      await client.close()
      await running.value
    }
    for node in nodes { node.running.cancel() }
    for node in nodes { _ = await node.running.result }
  }
}

/// Whether the condition becomes true within a minute.
func eventually(_ holds: () async throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(60)
  while try await !holds() {
    guard ContinuousClock.now < deadline else { return false }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return true
}

extension BroadcastTarget {
  /// Rooms of `/`.
  static func main(_ rooms: Set<String> = [], except: Set<String> = [], isLocal: Bool = false) -> Self {
    BroadcastTarget(namespace: "/", rooms: rooms, except: except, isLocal: isLocal)
  }
}

extension SocketIOClient {
  /// Answers all questions of the server with a number.
  func answerQuestions(with number: Int) -> Task<Void, any Error> {
    let questions = events("question")
    return Task {
      for try await question in questions {
        try acknowledge(question, with: SocketArguments([Array("\(number)".utf8)]), in: "/")
      }
    }
  }
}

/// Data of sockets that is shared with other servers.
struct Place: SharedSocketData, Equatable {
  static let socketDataName = "place"

  var auth: String
}

/// Data of sockets that is not shared with other servers.
struct Secret: Codable, Equatable {}
