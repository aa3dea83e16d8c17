import NIOCore
public import SocketIOProtocol
import Synchronization

extension SocketIOServer {
  /// Sends an event with one argument to everybody in a namespace. It may be called from any thread; all sockets of a
  /// server get all broadcasts in one order, and calls of one thread in the order in which they were made. An event with a
  /// reserved name (`SocketEvent.reservedNames`) is not sent, and the log says so.
  ///
  /// - Parameter json: The argument, one JSON value.
  public func emit(_ event: String, json: [UInt8], to namespace: String) {
    core.broadcast(event, SocketArguments([json]), to: BroadcastTarget(namespace: namespace))
  }

  /// Sends an event to everybody whom the target means, once each. One with a reserved name (`SocketEvent.reservedNames`) is not
  /// sent, and the log says so.
  public func emit(_ event: String, _ arguments: SocketArguments = SocketArguments(), to target: BroadcastTarget) {
    core.broadcast(event, arguments, to: target)
  }

  /// Whether anybody is in the namespace, or may return to it by connection state recovery. Cheap: ask before encoding
  /// an event.
  ///
  /// - Parameter isLocal: Whether only sockets of this server count. Otherwise the answer is always yes where an adapter
  ///   connects it with others, as these may have some.
  public func hasSockets(in namespace: String, isLocal: Bool = false) -> Bool {
    let namespace = namespace.asNamespace
    return (core.cluster != nil && !isLocal) || core.hasSockets(in: namespace)
      || core.recovery?.remembers(namespace) ?? false
  }
}

extension ServerCore {
  /// The other servers, if there are any and the target means their sockets as well.
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
      // All of them: a client may be about to return on any.
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

  /// Has event loops do work, all in one order with other such work; the caller's own loop does it before this returns.
  func hand(to shards: [LoopShard], _ work: @escaping LoopShard.Work) {
    let own = shards.first(where: \.actsAtOnce)
    broadcastOrder.withLock { _ in
      for shard in shards { shard.hand(isAwaited: shard === own, work) }
    }
    own?.catchUp()
  }
}
