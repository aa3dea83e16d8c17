public import HTTPTypes
public import SocketIOProtocol

extension SocketIOServer {
  /// Sees what is opened and every packet that travels, and may disturb it: for tests of clients.
  ///
  /// Not shown: the packet that opens a long-polling session, noops, and what the server answers to the probe of an upgrade.
  /// A disturbed binary event shows as several packets: its text, then its attachments.
  public struct PacketInterceptor: Sendable {
    /// Asked before each packet and opening; while it answers false, nothing else is called and nothing costs more.
    public var isActive: @Sendable () -> Bool
    /// Decides about a session or WebSocket that is to be opened, once the request has been found valid. Called on an event
    /// loop: it must not block.
    public var opening: @Sendable (InterceptedOpening) -> OpeningAction
    /// Decides about a packet. Called on the session's event loop: it must not block.
    public var packet: @Sendable (InterceptedPacket) -> PacketAction
    /// Told of what becomes of sessions, active or not. Called on an event loop: it must not block.
    public var session: @Sendable (SessionNews) -> Void

    public init(
      isActive: @escaping @Sendable () -> Bool = { true },
      opening: @escaping @Sendable (InterceptedOpening) -> OpeningAction = { _ in .allow },
      packet: @escaping @Sendable (InterceptedPacket) -> PacketAction = { _ in .pass },
      session: @escaping @Sendable (SessionNews) -> Void = { _ in }
    ) {
      self.isActive = isActive
      self.opening = opening
      self.packet = packet
      self.session = session
    }
  }

  /// What became of an Engine.IO session.
  public struct SessionNews: Sendable {
    public enum Event: Sendable {
      case opened
      /// Its transport is a WebSocket now.
      case upgraded
      case closed(DisconnectReason)
    }

    public let event: Event
    public let sessionID: String
    public let handshake: Handshake
    /// Its transport after this.
    public let transport: EngineTransport
  }

  /// A request that opens something.
  public struct InterceptedOpening: Sendable {
    /// The request; its transport tells a long-polling session from a WebSocket.
    public let request: OpeningRequest
    /// The session whose transport a WebSocket wants to become; `nil` if a session is opened.
    public let upgradedSession: String?
  }

  /// What becomes of an opening.
  public enum OpeningAction: Sendable {
    case allow
    /// The request is answered with this status and no body.
    case refuse(HTTPResponse.Status)
    /// The connection is reset (RST) without an answer.
    case reset
  }

  /// What becomes of a packet. What holds packets back is bounded: beyond `Configuration.maxOutboundBytesPerSocket` of them
  /// the session is closed. The packet itself is lost in all cases below ``drop`` that do not say otherwise.
  public enum PacketAction: Sendable {
    case pass
    /// Arrives after this time.
    case delay(Duration, DelayOrder)
    /// Arrives several times, in all once more than `times`, of which 1000 count.
    case duplicate(times: Int)
    /// Arrives right after the next packet of its direction, kind and namespace; if none comes in time, then.
    case holdBack(atMost: Duration)
    /// Arrives with these bytes (``InterceptedPacket/bytes``), valid or not; what a client sent and is no packet any more
    /// ends the session.
    case replace([UInt8])
    /// Arrives, unless it is a ping or pong. From now on the server sends neither pings nor pongs, nor does it miss the
    /// client's; a WebSocket's own pings stay unanswered as well.
    case stopHeartbeat
    case drop
    /// A client's CONNECT is answered with CONNECT_ERROR. Other packets are lost.
    case refuse(message: String)
    /// The server removes the client from the packet's namespace, if it is in it.
    case disconnect
    /// From now on nothing of the session is read or answered, yet its connections stay open until the client closes them, or
    /// the server ends: as behind a router that forgot the connection.
    case fallSilent
    /// The session is closed. A WebSocket gets a close frame with this code; a waiting poll a close packet.
    case close(code: UInt16?)
    /// The session is closed and its connection reset (RST).
    case reset
  }

  /// What packets behind a delayed one of their direction do.
  public enum DelayOrder: Sendable {
    /// They wait for it: the order stays.
    case kept
    /// They overtake it.
    case overtaken
  }
}

/// A packet of a session on its way. It is of use during the call that it is shown in.
public struct InterceptedPacket {
  public enum Direction: String, Sendable {
    case fromClient, toClient
  }

  enum Content {
    case received(EnginePacket, isLate: Bool)
    case receivedOnUpgrade(EnginePacket, WebSocketLink)
    case sent(OutboundPacket)
  }

  let content: Content
  let session: Session

  /// The Engine.IO session's id.
  public var sessionID: String { session.id }
  public var handshake: Handshake { session.handshake }

  /// What carries it: a WebSocket that is not yet the session's transport counts. What waits for the next poll may yet
  /// travel over the WebSocket of an upgrade.
  public var transport: EngineTransport {
    if case .receivedOnUpgrade = content { .webSocket } else { session.engine.transport }
  }

  public var direction: Direction {
    if case .sent = content { .toClient } else { .fromClient }
  }

  /// The packet itself, which may be kept.
  public var kept: KeptPacket {
    switch content {
    case .received(let packet, _), .receivedOnUpgrade(let packet, _): KeptPacket(.received(packet), session)
    case .sent(let packet): KeptPacket(.sent(packet), session)
    }
  }

  /// The packet as the text of revision 4, its type's digit first; of a binary message its data alone.
  public var bytes: [UInt8] { kept.bytes }

  public var isBinary: Bool { kept.isBinary }

  /// The Engine.IO type.
  public var kind: EnginePacket.Kind { kept.kind }

  /// The Socket.IO packet of a message, without its attachments; `nil` for all else, and for attachments.
  public var socketPacket: SocketPacket? { kept.socketPacket }

  /// What the application keeps of the client's socket in the packet's namespace, other than the main one. Cheaper than to
  /// read the packet.
  public var data: SocketData? {
    guard !session.sockets.isEmpty else { return nil }
    let kept = kept
    return session.sockets.first { $0.namespace != SocketPacket.mainNamespace && kept.isIn($0.namespace) }?.data
  }

  /// What the application keeps of the client's socket in a namespace, if it is in it.
  public func data(in namespace: String) -> SocketData? { session.socket(in: namespace)?.data }
}
