import NIOCore
public import SocketIOProtocol

extension SocketIOServer {
  /// Sends an event to all sockets that the target selects, and waits until all have acknowledged it.
  ///
  /// - Returns: One answer for each socket, in the order of arrival; empty if the target selects no socket.
  /// - Throws: `BroadcastAckError`, with the answers so far, when the timeout has passed or the last client without an answer has left;
  ///   `ReservedNameError` before anything is sent.
  public func emit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), to target: BroadcastTarget, timeout: Duration
  ) async throws -> [SocketArguments] {
    try ReservedNameError.check(event)
    let outcome: AckGathering.Outcome = await withCheckedContinuation { continuation in
      if let cluster = core.cluster(for: target) {
        cluster.ask(event, arguments, to: target, timeout, core, continuation)
      } else {
        let gathering = AckGathering(continuation)
        core.ask(event, arguments, target, timeout: timeout.milliseconds, gathering)
        gathering.sent()
      }
    }
    return try outcome.get()
  }
}

extension Cluster {
  fileprivate func ask(
    _ event: String, _ arguments: SocketArguments, to target: BroadcastTarget, _ timeout: Duration, _ core: ServerCore,
    _ continuation: CheckedContinuation<AckGathering.Outcome, Never>
  ) {
    let (gathering, number) = begin { number, servers in
      AckGathering(servers: servers, continuation) { self.end(number) }
    }
    core.ask(event, arguments, target, timeout: timeout.milliseconds, gathering)
    publish(.ask(number, target, event: event, arguments, timeout: timeout.milliseconds))
    let timer = core.shards.first?.loop.scheduleTask(in: .milliseconds(timeout.milliseconds)) {
      gathering.giveUpServers()
    }
    gathering.sent(timer: timer)
  }
}

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
