import NIOCore
public import SocketIOProtocol

/// A packet that may be kept. All recipients share its bytes.
public struct KeptPacket: Sendable {
  enum Content: Sendable {
    case received(EnginePacket)
    case sent(OutboundPacket)
  }

  let content: Content
  private let revision: EngineRevision
  private let maxAttachments: Int

  init(_ content: Content, _ session: Session) {
    self.content = content
    revision = session.revision
    maxAttachments = session.core.configuration.maxAttachments
  }

  /// The length of ``bytes``.
  public var size: Int {
    switch content {
    case .received(let packet): packet.data.count + (packet.isBinary ? 0 : 1)
    case .sent(let packet): packet.payloadSize
    }
  }

  /// The packet in the text form of revision 4, with its type's digit first. For a binary message, only its data.
  public var bytes: [UInt8] {
    switch content {
    case .received(let packet): packet.isBinary ? packet.data : packet.encodedText(.v4)
    case .sent(let packet): packet.payload
    }
  }

  /// Whether both share their bytes, like the packets of a broadcast.
  public func isShared(with other: KeptPacket) -> Bool {
    guard case .sent(let mine) = content, case .sent(let theirs) = other.content else { return false }
    return mine.frame.readableBytesView.withUnsafeBytes { mine in
      theirs.frame.readableBytesView.withUnsafeBytes { mine.baseAddress == $0.baseAddress }
    }
  }

  /// The first `count` bytes of ``bytes``.
  public func prefix(_ count: Int) -> [UInt8] {
    switch content {
    case .received(let packet):
      packet.isBinary ? Array(packet.data.prefix(count)) : [packet.kind.rawValue] + packet.data.prefix(count - 1)
    case .sent(let packet): packet.withPayload { Array($0.prefix(count)) }
    }
  }

  public var isBinary: Bool {
    switch content {
    case .received(let packet): packet.isBinary
    case .sent(let packet): packet.isBinary
    }
  }

  /// The Engine.IO type.
  public var kind: EnginePacket.Kind {
    switch content {
    case .received(let packet): packet.kind
    case .sent(let packet): packet.kind
    }
  }

  /// The Socket.IO packet of a message, without its attachments; `nil` for other packets, and for attachments.
  public var socketPacket: SocketPacket? {
    guard kind == .message, !isBinary else { return nil }
    var packet = SocketPacket(text: Array(bytes.dropFirst()), maxAttachments: maxAttachments)
    // Revision 3 clients append a query to the namespace.
    if revision == .v3, let name = packet?.namespace.prefix(while: { $0 != "?" }) {
      packet?.namespace = String(name)
    }
    return packet
  }

  /// Whether the packet belongs to this namespace, which must not be the main one. It is cheaper than parsing the packet.
  func isIn(_ namespace: String) -> Bool {
    switch content {
    case .received(let packet):
      !packet.isBinary && packet.kind == .message && Self.names(namespace, packet.data)
    case .sent(let packet):
      !packet.isBinary && packet.kind == .message && packet.withPayload { Self.names(namespace, $0.dropFirst()) }
    }
  }

  /// Whether the text of a packet `<type>[<n>-]<namespace>,` names this namespace.
  private static func names(_ namespace: String, _ text: some Collection<UInt8>) -> Bool {
    let rest = text.dropFirst().drop { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    let name = namespace.utf8
    guard rest.starts(with: name) else { return false }
    let end = rest.dropFirst(name.count).first
    return end == nil || end == UInt8(ascii: ",") || end == UInt8(ascii: "?")
  }
}
