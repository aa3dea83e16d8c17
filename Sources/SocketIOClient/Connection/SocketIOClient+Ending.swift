import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  static func now() -> Milliseconds {
    Milliseconds(NIODeadline.now().uptimeNanoseconds / 1_000_000)
  }

  func watchOpening(connection id: Int) {
    connection?.timer = loop.scheduleTask(in: TimeAmount(configuration.connectTimeout)) { [weak self] () -> Void in
      self?.assumeIsolated { $0.fail(.timedOut, connection: id) }
    }
  }

  func watchHeartbeat(connection id: Int) {
    connection?.timer?.cancel()
    guard let deadline = connection?.engine.nextDeadline, deadline != .max else { return }
    connection?.timer = loop.scheduleTask(in: .milliseconds(deadline - Self.now())) { [weak self] () -> Void in
      self?.assumeIsolated { $0.tick(connection: id) }
    }
  }

  private func tick(connection id: Int) {
    guard connection?.id == id else { return }
    perform(connection?.engine.tick(at: Self.now()) ?? .none, nil, connection: id)
  }

  // MARK: The end

  /// Ends a connection that broke the protocol, became silent or was lost. Only the first reason counts.
  func fail(_ failure: Failure, connection id: Int) {
    guard connection?.id == id else { return }
    connection?.hasFailed = true
    connection?.end.yield(failure)
  }

  /// Cleans up after the connection has ended.
  func endConnection(_ failure: Failure, tellDisconnected: Bool) {
    guard let ended = connection else { return }
    connection = nil
    ended.end.finish()
    ended.timer?.cancel()
    for asking in ended.credentials.values { asking.task.cancel() }
    ended.upgrade?.close()
    switch ended.carrier {
    case .webSocket(let transport): transport.close()
    case .polling(let wakeup): wakeup.finish()
    case .none: break
    }
    for namespace in memberships.keys { interruptQueue(namespace) }
    forgetAcks(failure == .closed ? .closed : .notConnected) { _ in true }
    guard tellDisconnected else { return }
    for namespace in memberships.keys where ended.socket.isJoined(namespace) {
      tell(namespace, .disconnected(failure.reason))
    }
  }
}
