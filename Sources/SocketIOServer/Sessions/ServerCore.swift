import Logging
import NIOCore
import SocketIOProtocol
import Synchronization

/// The state that all event loops of a server share.
final class ServerCore: Sendable {
  /// A class, because every socket refers to the handlers of its namespace.
  final class Rule: Sendable {
    /// The name of the accepted namespaces in the log.
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
    /// The number of sockets by namespace and shard.
    var members: [String: [Int]] = [:]
    var sessions = 0
    var sockets = 0
    var isShutDown = false
  }

  let configuration: SocketIOServer.Configuration
  let logger: Logger
  /// Set for a bare Engine.IO server, which has no namespaces: takes every message.
  let engineHandler: SocketIOServer.EngineHandler?
  /// Set if lost clients may return to their sockets.
  let recovery: RecoveryStore?
  /// Set if an adapter connects this server with others.
  let others: (any OtherServers)?
  /// Observes packets and takes them over, in tests of clients.
  let packetHook: SocketIOServer.PacketHook?
  private let state = Mutex(State())
  private let nextAckID = Atomic<UInt64>(0)
  let adviceBudget: LogBudget
  /// Held while a broadcast is queued for the loops, so that all of them receive broadcasts in one order.
  let broadcastOrder = Mutex(())

  init(
    _ configuration: SocketIOServer.Configuration, logger: Logger, engineHandler: SocketIOServer.EngineHandler? = nil,
    others: (any OtherServers)? = nil, packetHook: SocketIOServer.PacketHook? = nil
  ) {
    self.configuration = configuration
    self.logger = logger
    self.engineHandler = engineHandler
    adviceBudget = LogBudget(limit: configuration.maxLogLinesPerMinute)
    recovery = configuration.recovery.map { RecoveryStore($0, configuration) }
    self.others = others
    self.packetHook = packetHook
  }

  func start(_ shards: [LoopShard]) { state.withLock { $0.shards = shards } }

  /// Releases the shards, which retain this object. Connections that are still open keep theirs.
  func end() { state.withLock { $0.shards = [] } }

  var shards: [LoopShard] { state.withLock { $0.shards } }

  /// The shard of a session id; `nil` if the id is not of this server.
  func shard(of sid: String) -> LoopShard? {
    guard let index = SessionID.shardIndex(of: sid, node: configuration.node) else { return nil }
    return state.withLock { $0.shards.indices.contains(index) ? $0.shards[index] : nil }
  }

  /// The shard of an event loop; any shard for a loop of another group.
  func shard(on loop: any EventLoop) -> LoopShard? {
    state.withLock { state in state.shards.first { $0.loop === loop } ?? state.shards.randomElement() }
  }

  /// The share of a loop's time that a connection's owner has; nil if time is not counted by owner.
  func share(of owner: String?, on loop: any EventLoop) -> LoopShare? {
    guard let shard = shard(on: loop), shard.loop === loop else { return nil }
    return shard.shares?.share(of: owner)
  }

  /// A number for an event that expects acknowledgements. All clients get the same number, so that a broadcast is encoded once.
  func makeAckID() -> AckID {
    AckID(nextAckID.wrappingAdd(1, ordering: .relaxed).oldValue)
  }

  // MARK: Namespaces

  func add(_ rule: Rule) {
    state.withLock { $0.rules.append(rule) }
  }

  func rule(for namespace: String) -> Rule? {
    // The predicates are application code, so they run outside of the lock.
    state.withLock { $0.rules }.first { $0.matches(namespace) }
  }

  /// Handles an event of another server.
  typealias ServerSideHandler = @Sendable (Socket.Event) -> Void

  func setServerSideHandler(for event: String, in namespace: String, _ body: @escaping ServerSideHandler) {
    // Releases the former handler outside of the lock, because this may run application code.
    _ = state.withLock { $0.serverSide[namespace, default: [:]].updateValue(body, forKey: event) }
  }

  func serverSideHandler(for event: String, in namespace: String) -> ServerSideHandler? {
    state.withLock { $0.serverSide[namespace]?[event] }
  }

  /// The declared namespaces, as the log shows them.
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

  /// The namespaces with sockets, and the number of sockets.
  var namespaceSizes: [(name: String, sockets: Int)] {
    state.withLock { $0.members.map { ($0.key, $0.value.reduce(0, +)) } }
  }

  /// The shards with sockets of the namespace.
  func shards(in namespace: String) -> [LoopShard] {
    state.withLock { state in
      guard let counts = state.members[namespace] else { return [] }
      return zip(state.shards, counts).filter { $0.1 > 0 }.map(\.0)
    }
  }

  // MARK: Sessions

  /// Reserves a session, and returns the closure that releases it; nil if the server is full or shutting down.
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

  /// The largest unfinished message, in bytes, that needs no reservation.
  static let freeMessageSize = 16 * 1024

  /// The bytes that may be inflated for a WebSocket in one turn. Beyond that, the loop does other work before it processes the client's
  /// next message: one read of 64 KiB may contain sixty messages of a thousand bytes that each inflate to a million. A message is never
  /// divided.
  static let maxInflatedPerTurn = 256 * 1024

  /// Reserves capacity for a large message; `nil` if there is none.
  func reserveMessage(for request: SocketIOServer.OpeningRequest) -> (@Sendable () -> Void)? {
    guard let reserve = configuration.reserveMessage else { return {} }
    return reserve(request)
  }

  func beginShutdown() {
    state.withLock { $0.isShutDown = true }
  }

  /// Accepts sessions again after a shutdown.
  func endShutdown() {
    let wasShutDown = state.withLock { state in
      defer { state.isShutDown = false }
      return state.isShutDown
    }
    precondition(
      !wasShutDown || others == nil,
      "this server has left its cluster in shutdown(): make a new SocketIOServer to run it again")
  }

  var stats: SocketIOServer.Stats {
    state.withLock { state in
      SocketIOServer.Stats(sessions: state.sessions, sockets: state.sockets, namespaces: state.members.count)
    }
  }
}

/// The other servers of a cluster, which receive broadcasts as well.
protocol OtherServers: Sendable {
  func broadcast(_ event: String, _ arguments: SocketArguments, to target: BroadcastTarget)
}

extension SocketIOServer {
  /// The numbers of sessions, sockets and namespaces.
  public struct Stats: Equatable, Sendable {
    public var sessions: Int
    public var sockets: Int
    /// Namespaces with sockets.
    public var namespaces: Int

    public init(sessions: Int, sockets: Int, namespaces: Int) {
      self.sessions = sessions
      self.sockets = sockets
      self.namespaces = namespaces
    }
  }
}
