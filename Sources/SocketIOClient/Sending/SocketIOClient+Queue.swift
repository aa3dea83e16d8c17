import Logging
import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  /// Adds an event to its namespace's queue. It is sent at once if no other waits.
  func enqueue(_ outgoing: Outgoing, _ id: AckID, timeout: Duration) throws(SocketIOError) {
    let entry = RetryQueue.Entry(id: id, outgoing: outgoing, timeout: timeout)
    guard memberships[outgoing.namespace] != nil else { throw .notConnected }
    try memberships[outgoing.namespace]?.queue.append(entry, configuration)
    drainQueue(outgoing.namespace)
  }

  /// Sends the waiting events of a namespace that was joined: first kept events, then its queue.
  func sendKept(in namespace: String) {
    for outgoing in memberships[namespace]?.buffer.takeAll() ?? [] { transmit(outgoing) }
    drainQueue(namespace)
  }

  func drainQueue(_ namespace: String) {
    guard isConnected(to: namespace), let entry = memberships[namespace]?.queue.next() else { return }
    memberships[namespace]?.tryTimer?.cancel()
    memberships[namespace]?.tryTimer = loop.scheduleTask(in: TimeAmount(entry.timeout)) { [weak self] () -> Void in
      self?.assumeIsolated { $0.tryFailed(entry.id, in: namespace, .timedOut) }
    }
    let isCopy = memberships[namespace]?.lastTry.map { $0 == (connectionCount, entry.id) } == true
    // The network has not sent the previous copy yet, so another copy would only wait behind it. The try counts nevertheless.
    if isCopy, !isWritable { return }
    memberships[namespace]?.lastTry = (connectionCount, entry.id)
    transmit(entry.outgoing)
  }

  /// An acknowledgement arrived.
  func acknowledged(_ awaited: Awaited, _ arguments: SocketArguments) {
    let membership = memberships[awaited.namespace]
    let wasQueued = memberships[awaited.namespace]?.queue.acknowledged(awaited.id) == true
    // The server cannot have received an event that was not sent.
    let isUnsent = membership?.buffer.holds(awaited.id) == true || membership?.queue.holds(awaited.id) == true
    guard wasQueued || !isUnsent else { return }
    settle(awaited, .success(arguments))
    guard wasQueued else { return }
    memberships[awaited.namespace]?.tryTimer?.cancel()
    drainQueue(awaited.namespace)
  }

  /// The namespace is no longer joined: the sent event of its queue has used one try.
  func interruptQueue(_ namespace: String) {
    memberships[namespace]?.tryTimer?.cancel()
    tryFailed(nil, in: namespace, .notConnected)
  }

  private func tryFailed(_ id: AckID?, in namespace: String, _ error: SocketIOError) {
    if let given = memberships[namespace]?.queue.failed(id, retries: configuration.retries) {
      logger.warning(
        "event given up", metadata: ["event": "\(given.outgoing.event.name)", "tries": "\(given.tries)"])
      settle(Awaited(namespace: namespace, id: given.id), .failure(error))
    }
    drainQueue(namespace)
  }
}
