public import HTTPTypes
public import SocketIOProtocol

extension SocketIOServer {
  /// Observes openings and all packets, and may disturb them: for tests of clients.
  ///
  /// Not included: the packet that opens a long-polling session, noops, and the server's answer to the probe of an upgrade. A disturbed
  /// binary event appears as several packets: its text, then its attachments.
  public struct PacketInterceptor: Sendable {
    /// Called before each packet and opening. While it returns false, nothing else is called, and there is no other cost.
    public var isActive: @Sendable () -> Bool
    /// Decides about a session or WebSocket that is about to open, after the request was validated. Called on an event loop: it must not
    /// block.
    public var opening: @Sendable (InterceptedOpening) -> OpeningAction
    /// Decides about a packet. Called on the session's event loop: it must not block.
    public var packet: @Sendable (InterceptedPacket) -> PacketAction
    /// Called for events of sessions, whether active or not. Called on an event loop: it must not block.
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

  /// An event of an Engine.IO session.
  public struct SessionNews: Sendable {
    public enum Event: Sendable {
      case opened
      /// Its transport is now a WebSocket.
      case upgraded
      case closed(DisconnectReason)
    }

    public let event: Event
    public let sessionID: String
    public let handshake: Handshake
    /// Its transport after the event.
    public let transport: EngineTransport
  }

  /// A request that opens a session or a WebSocket.
  public struct InterceptedOpening: Sendable {
    /// The request; its transport distinguishes a long-polling session from a WebSocket.
    public let request: OpeningRequest
    /// The session that a WebSocket asks to upgrade; `nil` if a session is opened.
    public let upgradedSession: String?
  }

  /// The decision about an opening.
  public enum OpeningAction: Sendable {
    case allow
    /// The request is answered with this status and no body.
    case refuse(HTTPResponse.Status)
    /// The connection is reset (RST) without an answer.
    case reset
  }

  /// The decision about a packet. Waiting packets are limited: if they exceed `Configuration.maxOutboundBytesPerSocket`, the session is
  /// closed. The packet itself is lost in all cases after ``drop``, unless they say otherwise.
  public enum PacketAction: Sendable {
    case pass
    /// Arrives after this time.
    case delay(Duration, DelayOrder)
    /// Arrives `times` times more; `times` is at most 1000.
    case duplicate(times: Int)
    /// Arrives right after the next packet with its direction, type and namespace, or when the time is over.
    case holdBack(atMost: Duration)
    /// Arrives with these bytes (``InterceptedPacket/bytes``), valid or not. An invalid packet of a client ends the session.
    case replace([UInt8])
    /// Arrives, unless it is a ping or pong. From now on the server sends neither pings nor pongs, and does not require the client's. A
    /// WebSocket's own pings stay unanswered as well.
    case stopHeartbeat
    case drop
    /// A client's CONNECT is answered with CONNECT_ERROR. Other packets are lost.
    case refuse(message: String)
    /// The server removes the client from the packet's namespace, if it is in it.
    case disconnect
    /// From now on nothing of the session is read or answered, but its connections stay open until the client closes them, or the server
    /// ends: as behind a router that forgot the connection.
    case fallSilent
    /// The session is closed. A WebSocket gets a close frame with this code; a waiting poll gets a close packet.
    case close(code: UInt16?)
    /// The session is closed and its connection reset (RST).
    case reset
  }

  /// The order of packets after a delayed one in the same direction.
  public enum DelayOrder: Sendable {
    /// They wait for it, so the order stays.
    case kept
    /// They overtake it.
    case overtaken
  }
}

/// A packet of a session in transit. It is valid only during the call that receives it.
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

  /// The transport of the packet, which may be a WebSocket that is not yet the session's transport. A packet that waits for the next poll
  /// may still be sent over the WebSocket of an upgrade.
  public var transport: EngineTransport {
    if case .receivedOnUpgrade = content { .webSocket } else { session.engine.transport }
  }

  public var direction: Direction {
    if case .sent = content { .toClient } else { .fromClient }
  }

  /// The packet in a form that may be kept.
  public var kept: KeptPacket {
    switch content {
    case .received(let packet, _), .receivedOnUpgrade(let packet, _): KeptPacket(.received(packet), session)
    case .sent(let packet): KeptPacket(.sent(packet), session)
    }
  }

  /// The packet in the text form of revision 4, with its type's digit first. For a binary message, only its data.
  public var bytes: [UInt8] { kept.bytes }

  public var isBinary: Bool { kept.isBinary }

  /// The Engine.IO type.
  public var kind: EnginePacket.Kind { kept.kind }

  /// The Socket.IO packet of a message, without its attachments; `nil` for other packets, and for attachments.
  public var socketPacket: SocketPacket? { kept.socketPacket }

  /// The application's data of the client's socket in the packet's namespace, except the main one. It is cheaper than parsing the packet.
  public var data: SocketData? {
    guard !session.sockets.isEmpty else { return nil }
    let kept = kept
    return session.sockets.first { $0.namespace != SocketPacket.mainNamespace && kept.isIn($0.namespace) }?.data
  }

  /// The application's data of the client's socket in a namespace; `nil` if it is not in it.
  public func data(in namespace: String) -> SocketData? { session.socket(in: namespace)?.data }
}
