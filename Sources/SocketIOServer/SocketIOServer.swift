public import Logging
public import NIOCore
public import NIOPosix
import SocketIOProtocol

/// A Socket.IO server: Engine.IO 4 and 3, Socket.IO 5 and 4, over WebSocket and HTTP long-polling.
///
/// It shares one port with an HTTP application: `httpServer` takes the WebSockets out of the application's connections, and the application
/// passes requests for which `isSocketPath` is true to `respond`.
public final class SocketIOServer: Sendable {
  let core: ServerCore
  /// Set if an adapter connects this server with others.
  let cluster: Cluster?
  let group: any EventLoopGroup

  /// - Parameters:
  ///   - eventLoopGroup: The loops of the sessions. Pass the group of the HTTP application.
  ///   - engineHandler: Makes this a bare Engine.IO server: every message goes to the closure, and there are no namespaces.
  ///   - packetHook: Observes packets and takes them over, in tests of clients.
  public init(
    configuration: Configuration = .init(),
    eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    logger: Logger = Logger(label: "socketio"),
    engineHandler: EngineHandler? = nil,
    packetHook: PacketHook? = nil
  ) {
    precondition(
      configuration.node.map(Configuration.isNode) ?? true, "a node is 1 to 16 letters, digits, - and _ of ASCII")
    let cluster = configuration.adapter.map { Cluster($0, configuration.cluster) }
    let core = ServerCore(
      configuration, logger: logger, engineHandler: engineHandler, others: cluster, packetHook: packetHook)
    self.core = core
    self.cluster = cluster
    group = eventLoopGroup
    let loops = eventLoopGroup.makeIterator().prefix(SessionID.maxShards)
    core.start(loops.enumerated().map { LoopShard(core: core, loop: $1, index: $0) })
    if let loop = core.shards.first?.loop { cluster?.start(core, on: loop) }
  }

  deinit { core.end() }

  /// Declares a namespace. The first matching declaration applies. An undeclared namespace is refused with "Invalid namespace".
  ///
  /// - Parameter name: "chat" means "/chat".
  public func namespace(_ name: String, configure handlers: NamespaceHandlers) {
    let name = name.asNamespace
    namespace(where: { $0 == name }, described: name, configure: handlers)
  }

  /// Declares the namespaces whose name the predicate accepts.
  ///
  /// - Parameters:
  ///   - matches: Receives names with their leading slash.
  ///   - description: Their name in the log, which lists the declared namespaces when one is refused.
  /// - Returns: A value that `emit(_:_:toAll:)` accepts.
  @discardableResult
  public func namespace(
    where matches: @escaping @Sendable (String) -> Bool, described description: String = "those of a rule",
    configure handlers: NamespaceHandlers
  ) -> NamespaceGroup {
    let rule = ServerCore.Rule(description: description, matches: matches, handlers: handlers)
    core.add(rule)
    return NamespaceGroup(rule: rule)
  }

  /// Ends all sessions: WebSockets get a close frame, waiting polls a close packet, so that clients reconnect. Returns when all WebSockets
  /// are closed, at the latest after `closeTimeout`, and the server has left its cluster. New sessions are refused from the beginning of
  /// this call, until `run` is called again.
  ///
  /// - Parameter awaitingClients: False to return without waiting until clients have closed their WebSockets.
  public func shutdown(awaitingClients: Bool = true) async {
    core.beginShutdown()
    await closeSessions(awaitingClients: awaitingClients)
    await cluster?.close()
  }

  /// Ends all sessions as `shutdown` does, but continues to serve. Returns when all WebSockets that existed are closed, at the latest after
  /// `closeTimeout`.
  ///
  /// - Parameter awaitingClients: False to return without waiting until clients have closed their WebSockets.
  public func closeSessions(awaitingClients: Bool = true) async {
    await withTaskGroup { group in
      for shard in core.shards {
        group.addTask {
          await withCheckedContinuation { continuation in
            shard.run { shard in
              let closed = shard.shutDown()
              guard awaitingClients else { return continuation.resume() }
              closed.whenComplete { _ in continuation.resume() }
            }
          }
        }
      }
    }
  }

  /// The current numbers of sessions, sockets and namespaces.
  public var stats: Stats { core.stats }

  /// Whether the path of a request, without its query, belongs to this server.
  public func isSocketPath(_ path: String) -> Bool { isSocketPath(path[...]) }

  /// Whether the path of a request, without its query, belongs to this server. It is not generic, because every request calls it from
  /// another module.
  public func isSocketPath(_ path: Substring) -> Bool {
    let own = core.configuration.path
    // The last slash may be missing.
    return path.utf8.count >= own.utf8.count
      ? path.utf8.prefix(own.utf8.count).elementsEqual(own.utf8)
      : own.hasSuffix("/") && path.utf8.elementsEqual(own.utf8.dropLast())
  }
}
