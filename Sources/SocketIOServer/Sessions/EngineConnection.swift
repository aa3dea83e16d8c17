public import SocketIOProtocol

extension SocketIOServer {
  /// Handles a message of a bare Engine.IO client, on that client's event loop: it must not block.
  public typealias EngineHandler = @Sendable (EngineConnection, EnginePacket) -> Void
}

/// A client of a bare Engine.IO server.
public struct EngineConnection: Sendable {
  let session: Session

  public var id: String { session.id }
  public var handshake: Handshake { session.handshake }

  /// Sends a message. It may be called from any thread; calls of one thread keep their order.
  ///
  /// - Parameter compress: Whether the message may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
  public func send(_ message: EnginePacket, compress: Bool = true) {
    let packet = OutboundPacket(
      message, deflatedSizes: session.core.configuration.deflatedSizes(compress: compress)
    ).compressed(compress)
    session.shard.run { _ in
      session.makeRoom(for: packet.size)
      session.send(packet)
    }
  }

  /// Closes the session after earlier messages are delivered.
  public func close() {
    session.shard.run { _ in session.closeAfterDelivery(.forcedClose) }
  }
}
