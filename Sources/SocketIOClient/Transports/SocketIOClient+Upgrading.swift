import Logging
import SocketIOProtocol

extension SocketIOClient {
  func upgrade(connection id: Int) async {
    do {
      let transport = try await webSocket(connection: id, isUpgrade: true)
      guard connection?.id == id, let probe = connection?.engine.upgradeOpened() else { return transport.close() }
      connection?.upgrade = transport
      transport.send([probe])
    } catch {
      logger.debug("no upgrade", metadata: ["reason": "\(Failure(opening: error, over: .webSocket))"])
    }
  }

  func receivedOnUpgrade(_ packet: EnginePacket, connection id: Int) {
    switch connection?.engine.receivedOnUpgrade(packet) {
    case .pause:
      connection?.isPausing = true
      completeUpgrade(connection: id)
    case .abandon:
      connection?.upgrade?.close()
      connection?.upgrade = nil
    case .some(.none), nil: break
    }
  }

  /// Makes the WebSocket the transport when no request is in progress.
  func completeUpgrade(connection id: Int) {
    guard let current = connection, current.id == id, !current.isPolling, !current.isPosting,
      let transport = current.upgrade, let packet = connection?.engine.pollReturned()
    else { return }
    if case .polling(let wakeup) = current.carrier { wakeup.finish() }
    connection?.carrier = .webSocket(transport)
    connection?.upgrade = nil
    connection?.outbox = []
    connection?.hasPong = false
    transport.send([packet] + current.outbox)
    tell(.upgraded)
  }
}
