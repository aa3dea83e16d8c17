import Logging
import SocketIOProtocol

extension Cluster {
  /// The most socket ids in one message.
  static let idsPerMessage = 10_000

  /// Executes a request of another server on the sockets of this one.
  func perform(_ message: ClusterMessage, of sender: SocketIOServer.ServerID, _ core: ServerCore) {
    switch message {
    case .broadcast(let target, let event, let arguments):
      core.broadcastLocally(event, arguments, to: target)
    case .ask(let number, let target, let event, let arguments, let timeout):
      let forwarding = AckForwarding { [self] reply in publish(.reply(number, reply), to: sender) }
      core.ask(event, arguments, target, timeout: timeout, forwarding)
    case .join(let rooms, let target): core.join(rooms, for: target)
    case .leave(let rooms, let target): core.leave(rooms, for: target)
    case .disconnect(let target, let closingSessions):
      core.disconnectSockets(in: target, closingSessions: closingSessions)
    case .fetch(let number, let target):
      // Unstructured: it ends after one turn of each event loop.
      Task { await answer(number, target, to: sender, core) }
    case .serverSide(let number, let namespace, let event, let arguments):
      handle(event, arguments, in: namespace, number, of: sender, core)
    case .hello, .heartbeat, .goodbye, .reply: break
    }
  }

  private func answer(
    _ number: ClusterMessage.RequestNumber, _ target: BroadcastTarget, to sender: SocketIOServer.ServerID,
    _ core: ServerCore
  ) async {
    let sockets = await core.sockets(in: target).map { socket in
      socket.shown(withholding: settings.withheldFields) { name, error in
        core.advise(
          .warning, "Data of a socket could not be encoded and is not sent to other servers",
          metadata: ["type": "\(LogText(name))", "error": "\(LogText("\(error)"))"])
      }
    }
    let (parts, leftOut) = SocketParts.divide(sockets)
    for (index, part) in parts.enumerated() {
      publish(.reply(number, .sockets(part, isLast: index == parts.count - 1)), to: sender)
    }
    guard leftOut > 0 else { return }
    core.advise(
      .warning, "Sockets whose rooms, data or handshake are too large are not sent to other servers",
      metadata: ["count": "\(leftOut)"])
  }

  private func handle(
    _ event: String, _ arguments: SocketArguments, in namespace: String, _ number: ClusterMessage.RequestNumber?,
    of sender: SocketIOServer.ServerID, _ core: ServerCore
  ) {
    guard let handler = core.serverSideHandler(for: event, in: namespace) else {
      if let number { publish(.reply(number, .answered(nil)), to: sender) }
      return
    }
    let acknowledge = number.map { number in
      let once = Once()
      return Acknowledgement { [self] answer in
        if once.first() { publish(.reply(number, .answered(answer)), to: sender) }
      }
    }
    let received = Socket.Event(name: event, arguments: arguments, acknowledge: acknowledge)
    core.shards.first?.enqueue { _ in handler(received) }
  }
}
