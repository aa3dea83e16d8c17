public import SocketIOProtocol

/// A client of a bare Engine.IO server.
public struct EngineConnection: Sendable {
  let session: Session

  public var id: String { session.id }
  public var handshake: Handshake { session.handshake }

  /// Sends a message. It may be called from any thread; calls of one thread keep their order.
  public func send(_ message: EnginePacket) {
    let packet = OutboundPacket(message)
    session.shard.run { _ in
      session.makeRoom(for: packet.size)
      session.send(packet)
    }
  }

  /// Closes the session once the client has what was sent before.
  public func close() {
    session.shard.run { _ in session.closeAfterDelivery(.forcedClose) }
  }
}
