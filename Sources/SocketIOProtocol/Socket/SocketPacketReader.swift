/// Puts Socket.IO packets together from Engine.IO messages: a text, and the attachments it announces.
public struct SocketPacketReader: Sendable {
  private let maxAttachments: Int
  private var waiting: SocketPacket?
  private var owed = 0

  /// - Parameter maxAttachments: A packet that announces more is refused.
  public init(maxAttachments: Int) {
    self.maxAttachments = maxAttachments
  }

  /// Whether attachments are owed.
  public var isWaiting: Bool { waiting != nil }

  /// Takes a text or binary message.
  ///
  /// - Returns: The packet, or `nil` while attachments are owed.
  /// - Throws: What the two methods below throw.
  public mutating func received(_ message: EnginePacket) throws(SocketParseError) -> SocketPacket? {
    message.isBinary ? try received(binary: message.data) : try received(text: message.data)
  }

  /// Takes the data of a text message.
  ///
  /// - Returns: The packet, or `nil` while attachments are owed.
  public mutating func received(text: [UInt8]) throws(SocketParseError) -> SocketPacket? {
    guard waiting == nil else { throw .attachmentMissing }
    let head = try SocketPacketHead(text, maxAttachments: maxAttachments)
    guard head.attachmentCount > 0 else { return head.packet }
    waiting = head.packet
    owed = head.attachmentCount
    return nil
  }

  /// Takes the data of a binary message.
  ///
  /// - Returns: The packet, once this was its last attachment.
  public mutating func received(binary: [UInt8]) throws(SocketParseError) -> SocketPacket? {
    guard var packet = waiting else { throw .unexpectedAttachment }
    packet.attachments.append(binary)
    guard packet.attachments.count == owed else {
      waiting = packet
      return nil
    }
    waiting = nil
    try Placeholders.renumber(&packet, limit: maxAttachments)
    return packet
  }
}
