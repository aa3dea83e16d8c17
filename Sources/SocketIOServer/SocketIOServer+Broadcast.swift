import NIOCore
public import SocketIOProtocol
import Synchronization

extension SocketIOServer {
  /// Sends an event with one argument to all sockets in a namespace. It may be called from any thread. All sockets of a server receive all
  /// broadcasts in one order, and calls of one thread in the order of the calls. An event with a reserved name
  /// (`SocketEvent.reservedNames`) is logged and not sent.
  ///
  /// - Parameter json: The argument, one JSON value.
  public func emit(_ event: String, json: [UInt8], to namespace: String) {
    core.broadcast(event, SocketArguments([json]), to: BroadcastTarget(namespace: namespace))
  }

  /// Sends an event to all sockets that the target selects, once each. An event with a reserved name (`SocketEvent.reservedNames`) is
  /// logged and not sent.
  public func emit(_ event: String, _ arguments: SocketArguments = SocketArguments(), to target: BroadcastTarget) {
    core.broadcast(event, arguments, to: target)
  }

  /// Whether the namespace has a socket, or one that may return by connection state recovery. It is cheap: call it before encoding an
  /// event.
  ///
  /// - Parameter isLocal: Whether only sockets of this server count. Otherwise the result is always true if an adapter connects it with
  ///   others, because they may have sockets.
  public func hasSockets(in namespace: String, isLocal: Bool = false) -> Bool {
    let namespace = namespace.asNamespace
    return (core.cluster != nil && !isLocal) || core.hasSockets(in: namespace)
      || core.recovery?.remembers(namespace) ?? false
  }
}

extension ServerCore {
  /// The other servers, if the target includes their sockets.
  func cluster(for target: BroadcastTarget) -> Cluster? {
    target.isLocal ? nil : cluster
  }

  func broadcast(_ event: String, _ arguments: SocketArguments, to target: BroadcastTarget) {
    guard mayEmit(event) else { return }
    cluster(for: target)?.publish(.broadcast(target, event: event, arguments))
    broadcastLocally(event, arguments, to: target)
  }

  func broadcastLocally(_ event: String, _ arguments: SocketArguments, to target: BroadcastTarget) {
    if let recovery {
      // All shards, because a client may be about to return on any of them.
      let shards = self.shards
      let own = shards.first(where: \.actsAtOnce)
      recovery.send(event, arguments, to: target) { message in
        for shard in shards { shard.hand(isAwaited: shard === own) { $0.deliver(message, to: target) } }
      }
      own?.catchUp()
      return
    }
    let shards = shards(in: target.namespace)
    guard !shards.isEmpty else { return }
    let message = OutboundEvent(
      event, arguments, namespace: target.namespace, configuration.encoding(compress: target.compress))
    hand(to: shards) { $0.deliver(message, to: target) }
  }

  /// Makes event loops run work, in one order with other such work. The caller's own loop runs it before this returns.
  func hand(to shards: [LoopShard], _ work: @escaping LoopShard.Work) {
    let own = shards.first(where: \.actsAtOnce)
    broadcastOrder.withLock { _ in
      for shard in shards { shard.hand(isAwaited: shard === own, work) }
    }
    own?.catchUp()
  }
}
