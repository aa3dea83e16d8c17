import NIOCore
public import SocketIOProtocol
import Synchronization

extension SocketIOServer {
  /// Sends an event with one argument to everybody in a namespace. It may be called from any thread; calls of one
  /// thread keep their order for every socket, and calls from outside the event loops have one order for all sockets.
  ///
  /// - Parameter json: The argument, one JSON value.
  public func emit(_ event: String, json: [UInt8], to namespace: String) {
    core.broadcast(event, SocketArguments([json]), to: BroadcastTarget(namespace: namespace))
  }

  /// Sends an event to everybody whom the target means, once each.
  public func emit(_ event: String, _ arguments: SocketArguments, to target: BroadcastTarget) {
    core.broadcast(event, arguments, to: target)
  }

  /// Whether anybody is in the namespace. Cheap: ask before encoding an event.
  public func hasSockets(in namespace: String) -> Bool {
    core.hasSockets(in: namespace)
  }

  /// Removes the sockets of a namespace for which the predicate holds; their sessions stay open.
  public func disconnectSockets(
    in namespace: String, where matches: @escaping @Sendable (Socket) -> Bool = { _ in true }
  ) {
    for shard in core.shards(in: namespace) {
      shard.run { shard in
        for socket in shard.namespaces[namespace]?.all ?? [] where matches(socket) {
          socket.session?.disconnect(socket)
        }
      }
    }
  }
}

extension ServerCore {
  func broadcast(_ event: String, _ arguments: SocketArguments, to target: BroadcastTarget) {
    let shards = shards(in: target.namespace)
    guard !shards.isEmpty else { return }
    let message = OutboundMessage(
      .event(event, arguments: arguments.joined, namespace: target.namespace, attachments: arguments.attachments))
    let isOnLoop = shards.contains { $0.loop.inEventLoop }
    guard !isOnLoop else {
      for shard in shards { shard.run { $0.deliver(message, to: target) } }
      return
    }
    broadcastOrder.withLock { _ in
      for shard in shards { shard.run { $0.deliver(message, to: target) } }
    }
  }
}
