import DequeModule
import Logging
import NIOCore
import SocketIOProtocol

extension Session {
  /// A session that ends when its client has received everything.
  struct Drain {
    let reason: DisconnectReason
    let deadline: Milliseconds
  }

  enum PollAnswer {
    case close
    case noop
  }

  /// Ends the session now.
  ///
  /// - Parameter time: When it ended. The time in which its clients may return (`Recovery`) starts here, even if the end was noticed later.
  func close(
    _ reason: DisconnectReason, code: UInt16? = nil, pollAnswer: PollAnswer = .close,
    at time: Milliseconds = Milliseconds.uptime
  ) {
    guard shard.sessions[id] === self else { return }
    tell(.closed(reason))
    core.logger.debug("Session closed", metadata: ["sid": "\(id)", "reason": "\(reason.rawValue)"])
    engine.close()
    shard.remove(self)
    for admission in admissions { admission.task?.cancel() }
    admissions = []
    for socket in sockets { removed(socket, reason, at: time) }
    sockets = []
    poll?(pollReply([OutboundPacket(EnginePacket(pollAnswer == .close ? .close : .noop))]))
    poll = nil
    queue = []
    link?.close(code)
    upgradeLink?.close(code)
    link = nil
    upgradeLink = nil
    if disturbance != nil { endSilence() }
  }

  /// Ends the session after waiting packets are delivered. Further input of the client is ignored.
  func closeAfterDelivery(_ reason: DisconnectReason) {
    guard drain == nil else { return }
    guard link == nil, !engine.isClosed, poll == nil || !queue.isEmpty else { return close(reason) }
    drain = Drain(reason: reason, deadline: Milliseconds.uptime + core.configuration.pingTimeout.milliseconds)
    for admission in admissions { admission.task?.cancel() }
    admissions = []
    for socket in sockets { removed(socket, reason) }
    sockets = []
    shard.schedule(self)
    answerPoll()
  }
}
