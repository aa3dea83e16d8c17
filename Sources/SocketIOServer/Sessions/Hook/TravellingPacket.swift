public import NIOCore
public import SocketIOProtocol

/// A packet of a session in transit. A hook that took it over may use it later as well, on ``loop``. It retains its session.
public struct TravellingPacket: Sendable {
  public enum Direction: String, Sendable {
    case fromClient, toClient
  }

  enum Way: Sendable {
    /// The session's transport. Late: by a POST that the session's upgrade overtook.
    case transport(isLate: Bool = false)
    /// The WebSocket of the session's upgrade with this number.
    case upgrade(Int)
  }

  let content: KeptPacket.Content
  let way: Way
  let session: Session

  /// The Engine.IO session's id.
  public var sessionID: String { session.id }
  public var handshake: Handshake { session.handshake }
  /// The session's event loop.
  public var loop: any EventLoop { session.shard.loop }

  /// The transport of the packet, which may be a WebSocket that is not yet the session's transport. A packet that waits for the next poll
  /// may still be sent over the WebSocket of an upgrade.
  public var transport: EngineTransport {
    if case .upgrade = way { .webSocket } else { session.engine.transport }
  }

  public var direction: Direction {
    if case .sent = content { .toClient } else { .fromClient }
  }

  /// The packet in a form that does not retain the session.
  public var kept: KeptPacket { KeptPacket(content, session) }

  /// The application's data of the client's socket in the packet's namespace, except the main one. It is cheaper than parsing the packet.
  public var data: SocketData? {
    guard !session.sockets.isEmpty else { return nil }
    let kept = kept
    return session.sockets.first { $0.namespace != SocketPacket.mainNamespace && kept.isIn($0.namespace) }?.data
  }

  /// The application's data of the client's socket in a namespace; `nil` if it is not in it.
  public func data(in namespace: String) -> SocketData? { session.socket(in: namespace)?.data }

  // MARK: For a hook that took it over

  /// Delivers the packet, past the hook, unless its session has ended. It may be delivered several times.
  ///
  /// - Parameter bytes: Its ``KeptPacket/bytes`` instead of its own, valid or not. An invalid packet of a client ends the session.
  public func deliver(_ bytes: [UInt8]? = nil) {
    guard session.disturbance?.isDeaf != true, !session.engine.isClosed else { return }
    guard let content = bytes.map(replaced) ?? content else { return session.close(.parseError) }
    switch (content, way) {
    case (.sent(let packet), _): session.send(packet, isPastHook: true)
    case (.received(let packet), .transport(let isLate)): session.received(packet, isLate: isLate, isPastHook: true)
    case (.received(let packet), .upgrade(let number)): session.received(packet, onUpgrade: number)
    }
  }

  /// The content with other bytes; `nil` if they are not a packet that a client can send.
  private func replaced(_ bytes: [UInt8]) -> KeptPacket.Content? {
    let isBinary = kept.isBinary
    if direction == .toClient { return .sent(isBinary ? OutboundPacket(binary: bytes) : OutboundPacket(text: bytes)) }
    return (isBinary ? EnginePacket(binary: bytes) : try? EnginePacket(text: bytes[...], .v4)).map { .received($0) }
  }

  /// Answers a client's CONNECT with CONNECT_ERROR.
  public func refuse(message: String) {
    guard direction == .fromClient, let packet = kept.socketPacket, packet.kind == .connect else { return }
    act { $0.sendRefusal(packet.namespace, message: message, data: []) }
  }

  /// Removes the client from the packet's namespace, if it is in it.
  public func disconnect() {
    guard let namespace = kept.socketPacket?.namespace else { return }
    outsideBroadcasts { session in
      guard let socket = session.socket(in: namespace) else { return }
      act { $0.disconnect(socket) }
    }
  }

  /// Closes the session. A WebSocket gets a close frame with this code; a waiting poll gets a close packet.
  public func close(code: UInt16?) { end { $0.close(.forcedClose, code: code) } }

  /// Closes the session and resets its connection (RST).
  public func reset() { end { $0.reset() } }

  /// From now on nothing of the session is read or answered, but its connections stay open until the client closes them, or the server
  /// ends: as behind a router that forgot the connection.
  public func fallSilent() { session.fallSilent() }

  /// From now on the server sends neither pings nor pongs, and does not require the client's. A WebSocket's own pings stay unanswered as
  /// well.
  public func stopHeartbeat() { session.disturbed.hasNoHeartbeat = true }

  /// Packets that `body` sends go past the hook.
  private func act(_ body: (Session) -> Void) {
    session.disturbed.isActing = true
    body(session)
    session.disturbed.isActing = false
  }

  /// Ends the session. Nothing of it is read or sent any longer.
  private func end(_ body: @escaping @Sendable (Session) -> Void) {
    let disturbance = session.disturbed
    disturbance.isEnding = true
    outsideBroadcasts { session in
      session.disturbed.isEnding = false
      body(session)
    }
  }

  /// Changes the session at once if the client sent the packet, otherwise when no broadcast is in progress.
  private func outsideBroadcasts(_ body: @escaping @Sendable (Session) -> Void) {
    guard direction == .toClient else { return body(session) }
    loop.execute { body(session) }
  }
}
