public import HTTPTypes
public import SocketIOProtocol

extension SocketIOServer {
  /// Observes openings, sessions and all packets, and may take packets over: for tests of clients. All closures are called on event loops:
  /// they must not block.
  ///
  /// Not included: the packet that opens a long-polling session, noops, and the server's answer to the probe of an upgrade. A binary event
  /// is several packets: its text, then its attachments.
  public struct PacketHook: Sendable {
    /// Decides about a session or WebSocket that is about to open, after the request was validated.
    public var opening: @Sendable (TravellingOpening) -> OpeningAction
    /// Called for each packet, on the session's event loop. Returns whether the hook takes the packet over: then the packet is lost, unless
    /// the hook delivers it.
    public var packet: @Sendable (TravellingPacket) -> Bool
    /// Called for events of sessions.
    public var session: @Sendable (SessionNews) -> Void

    public init(
      opening: @escaping @Sendable (TravellingOpening) -> OpeningAction = { _ in .allow },
      packet: @escaping @Sendable (TravellingPacket) -> Bool = { _ in false },
      session: @escaping @Sendable (SessionNews) -> Void = { _ in }
    ) {
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
  public struct TravellingOpening: Sendable {
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
}

extension ServerCore {
  /// The hook's decision about an opening.
  func judge(_ request: EngineRequest, over transport: EngineTransport) -> SocketIOServer.OpeningAction {
    guard let packetHook else { return .allow }
    return packetHook.opening(.init(request: .init(request, transport: transport), upgradedSession: request.sid))
  }
}

extension Session {
  /// Whether a packet goes on: the session still reads and writes, and no hook takes the packet over.
  func passes(_ packet: @autoclosure () -> KeptPacket.Content, by way: TravellingPacket.Way = .transport()) -> Bool {
    guard let hook = core.packetHook else { return true }
    if let disturbance {
      guard !disturbance.isDeaf else { return false }
      if disturbance.isActing { return true }
    }
    return !hook.packet(TravellingPacket(content: packet(), way: way, session: self))
  }

  /// Notifies the hook.
  func tell(_ event: SocketIOServer.SessionNews.Event) {
    guard let hook = core.packetHook else { return }
    hook.session(.init(event: event, sessionID: id, handshake: handshake, transport: engine.transport))
  }
}
