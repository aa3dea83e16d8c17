import DequeModule
import Logging
import NIOCore
import SocketIOProtocol

extension Session {
  enum PollAnswer {
    case close
    case noop
  }

  /// Ends the session now.
  ///
  /// - Parameter time: When it ended. The time that its clients have to return (`Recovery`) counts from here, even if the
  ///   end was noticed later.
  func close(
    _ reason: DisconnectReason, code: UInt16? = nil, pollAnswer: PollAnswer = .close,
    at time: Milliseconds = LoopShard.now
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
    if interception != nil { endInterception() }
  }

  /// Ends the session once the client has what waits for it.
  func closeAfterDelivery(_ reason: DisconnectReason) {
    guard link == nil, !engine.isClosed else { return close(reason) }
    send(OutboundPacket(EnginePacket(.close)))
    for socket in sockets { removed(socket, reason) }
    sockets = []
    drainDeadline = LoopShard.now + core.configuration.pingTimeout.milliseconds
    shard.schedule(self)
    answerPoll()
  }
}
