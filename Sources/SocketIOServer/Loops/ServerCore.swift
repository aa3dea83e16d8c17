import Logging
import NIOCore
import SocketIOProtocol
import Synchronization

/// What all event loops of a server share.
final class ServerCore: Sendable {
  /// A class, as every socket refers to the handlers of its namespace.
  final class Rule: Sendable {
    /// How the log calls the namespaces it accepts.
    let description: String
    let matches: @Sendable (String) -> Bool
    let handlers: NamespaceHandlers

    init(description: String, matches: @escaping @Sendable (String) -> Bool, handlers: NamespaceHandlers) {
      self.description = description
      self.matches = matches
      self.handlers = handlers
    }
  }

  private struct State {
    var shards: [LoopShard] = []
    var rules: [Rule] = []
    /// Handlers for events of other servers, by namespace and name.
    var serverSide: [String: [String: ServerSideHandler]] = [:]
    /// How many sockets of a namespace each shard has.
    var members: [String: [Int]] = [:]
    var sessions = 0
    var sockets = 0
    var isShutDown = false
  }

  let configuration: SocketIOServer.Configuration
  let logger: Logger
  /// Set for a bare Engine.IO server: takes every message, and there are no namespaces.
  let engineHandler: SocketIOServer.EngineHandler?
  /// Set when lost clients may return to their sockets.
  let recovery: RecoveryStore?
  /// Set when an adapter connects this server with others.
  let cluster: Cluster?
  private let state = Mutex(State())
  /// Those of HTTP that are open, if there is an interceptor.
  let connections = Mutex<[ObjectIdentifier: any Channel]>([:])
  private let nextAckID = Atomic<UInt64>(0)
  let adviceBudget: LogBudget
  /// Held while a broadcast is handed to the loops, so that all of them get broadcasts in one order.
  let broadcastOrder = Mutex(())

  init(
    _ configuration: SocketIOServer.Configuration, logger: Logger, engineHandler: SocketIOServer.EngineHandler?
  ) {
    self.configuration = configuration
    self.logger = logger
    self.engineHandler = engineHandler
    adviceBudget = LogBudget(limit: configuration.maxLogLinesPerMinute)
    recovery = configuration.recovery.map { RecoveryStore($0, configuration) }
    cluster = configuration.adapter.map { Cluster($0, configuration.cluster) }
  }

  func start(_ shards: [LoopShard]) {
    state.withLock { $0.shards = shards }
    if let loop = shards.first?.loop { cluster?.start(self, on: loop) }
  }

  /// Lets go of the loops' parts, which hold on to this. Connections that are still there keep theirs.
  func end() { state.withLock { $0.shards = [] } }

  var shards: [LoopShard] { state.withLock { $0.shards } }

  /// The shard of a session id, or `nil` when the id is none of ours.
  func shard(of sid: String) -> LoopShard? {
    guard let index = SessionID.shardIndex(of: sid, node: configuration.node) else { return nil }
    return state.withLock { $0.shards.indices.contains(index) ? $0.shards[index] : nil }
  }

  /// The shard of an event loop; for a loop of another group, any.
  func shard(on loop: any EventLoop) -> LoopShard? {
    state.withLock { state in state.shards.first { $0.loop === loop } ?? state.shards.randomElement() }
  }

  /// The share of a loop's time that a connection's owner has; nil if none is counted.
  func share(of owner: String?, on loop: any EventLoop) -> LoopShare? {
    guard let shard = shard(on: loop), shard.loop === loop else { return nil }
    return shard.shares?.share(of: owner)
  }

  /// A number for an event that wants acknowledgements; one for all clients, so that a broadcast is encoded once.
  func makeAckID() -> AckID {
    AckID(nextAckID.wrappingAdd(1, ordering: .relaxed).oldValue)
  }

  // MARK: Namespaces

  func add(_ rule: Rule) {
    state.withLock { $0.rules.append(rule) }
  }

  func rule(for namespace: String) -> Rule? {
    // The predicates are the application's: they run outside the lock.
    state.withLock { $0.rules }.first { $0.matches(namespace) }
  }

  /// Takes an event of another server.
  typealias ServerSideHandler = @Sendable (Socket.Event) -> Void

  func setServerSideHandler(for event: String, in namespace: String, _ body: @escaping ServerSideHandler) {
    // What the former one has kept may end with it: not under the lock.
    _ = state.withLock { $0.serverSide[namespace, default: [:]].updateValue(body, forKey: event) }
  }

  func serverSideHandler(for event: String, in namespace: String) -> ServerSideHandler? {
    state.withLock { $0.serverSide[namespace]?[event] }
  }

  /// What the log tells of the namespaces there are.
  var declaredNamespaces: [String] {
    let descriptions = state.withLock { $0.rules }.map(\.description)
    return descriptions.isEmpty ? ["none"] : descriptions
  }

  func joined(_ namespace: String, shard: Int) {
    state.withLock { state in
      state.sockets += 1
      guard state.shards.indices.contains(shard) else { return }
      state.members[namespace, default: Array(repeating: 0, count: state.shards.count)][shard] += 1
    }
  }

  func left(_ namespace: String, shard: Int) {
    state.withLock { state in
      state.sockets -= 1
      state.members[namespace]?[shard] -= 1
      if state.members[namespace]?.allSatisfy({ $0 == 0 }) ?? false { state.members[namespace] = nil }
    }
  }

  func hasSockets(in namespace: String) -> Bool {
    state.withLock { $0.members[namespace] != nil }
  }

  /// The namespaces with sockets, and how many.
  var namespaceSizes: [(name: String, sockets: Int)] {
    state.withLock { $0.members.map { ($0.key, $0.value.reduce(0, +)) } }
  }

  /// The shards that have sockets of the namespace.
  func shards(in namespace: String) -> [LoopShard] {
    state.withLock { state in
      guard let counts = state.members[namespace] else { return [] }
      return zip(state.shards, counts).filter { $0.1 > 0 }.map(\.0)
    }
  }

  // MARK: Sessions

  /// Takes a place for a session and answers how to give it back; nil when the server is full or shutting down.
  func reserveSession(for request: EngineRequest, over transport: EngineTransport) -> (@Sendable () -> Void)? {
    let isFree = state.withLock { state in
      guard !state.isShutDown, state.sessions < configuration.maxSessions else { return false }
      state.sessions += 1
      return true
    }
    guard isFree else { return nil }
    let release = { @Sendable in self.state.withLock { $0.sessions -= 1 } }
    guard let reserve = configuration.reserveSession else { return release }
    guard let releaseOther = reserve(.init(request, transport: transport)) else {
      release()
      return nil
    }
    return {
      releaseOther()
      release()
    }
  }

  /// How many bytes of an unfinished message are nobody's business but the session's.
  static let freeMessageSize = 16 * 1024

  /// Once more than this was inflated for a WebSocket in a turn, in bytes, the loop does other work before it reads what else the
  /// client has sent: a read of 64 KiB may hold sixty messages that a thousand bytes each become a million. One message is never
  /// divided.
  static let maxInflatedPerTurn = 256 * 1024

  /// Takes room for a large message; `nil` if there is none.
  func reserveMessage(for request: SocketIOServer.OpeningRequest) -> (@Sendable () -> Void)? {
    guard let reserve = configuration.reserveMessage else { return {} }
    return reserve(request)
  }

  func beginShutdown() {
    state.withLock { $0.isShutDown = true }
  }

  /// Takes sessions again after a shutdown.
  func endShutdown() {
    let wasShutDown = state.withLock { state in
      defer { state.isShutDown = false }
      return state.isShutDown
    }
    precondition(
      !wasShutDown || cluster == nil,
      "this server has left its cluster in shutdown(): make a new SocketIOServer to run it again")
  }

  var stats: SocketIOServer.Stats {
    state.withLock { state in
      SocketIOServer.Stats(sessions: state.sessions, sockets: state.sockets, namespaces: state.members.count)
    }
  }
}
