import NIOCore
import SocketIOProtocol

extension ServerCore {
  /// Sends an event to the sockets of this server that the target selects, and passes their answers to the collector.
  ///
  /// - Parameter timeout: In milliseconds.
  func ask(
    _ event: String, _ arguments: SocketArguments, _ target: BroadcastTarget, timeout: Milliseconds,
    _ collector: some AckCollector
  ) {
    let shards = shards(in: target.namespace)
    collector.willSend(on: shards.count)
    guard !shards.isEmpty else { return }
    let id = makeAckID()
    let message = OutboundMessage(
      .event(
        event, arguments: arguments.joined, namespace: target.namespace, id: id, attachments: arguments.attachments),
      configuration.encoding(compress: target.compress))
    hand(to: shards) { $0.ask(event, arguments, message, id, target, timeout, collector) }
  }
}

extension LoopShard {
  fileprivate func ask(
    _ event: String, _ arguments: SocketArguments, _ message: OutboundMessage, _ id: AckID, _ target: BroadcastTarget,
    _ timeout: Milliseconds,
    _ collector: some AckCollector
  ) {
    let asked = sockets(in: target)
    let timer =
      asked.isEmpty
      ? nil
      : loop.scheduleTask(in: .milliseconds(timeout)) {
        for socket in asked { socket.settle(id, .failure(.timedOut)) }
      }
    collector.begin(asking: asked.map(\.id), timer: timer)
    for socket in asked {
      socket.acks.wait(id) { collector.received($0, from: socket.id) }
      socket.showOutgoing(event, arguments)
      socket.reachableSession?.send(message)
    }
  }
}
