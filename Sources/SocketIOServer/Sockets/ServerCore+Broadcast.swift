import NIOCore
import SocketIOProtocol
import Synchronization

extension ServerCore {
  func broadcast(_ event: String, _ arguments: SocketArguments, to target: BroadcastTarget) {
    guard mayEmit(event) else { return }
    if !target.isLocal { others?.broadcast(event, arguments, to: target) }
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
