/// Puts Socket.IO packets together from Engine.IO messages: a text, and the attachments it announces.
public struct SocketPacketReader: Sendable {
  private let maxAttachments: Int
  private var waiting: SocketPacket?
  private let maxAttachmentBytes: Int
  private var owed = 0
  /// Of attachments that have come while others are owed.
  public private(set) var waitingBytes = 0

  /// - Parameters:
  ///   - maxAttachments: A packet that announces more is refused.
  ///   - maxAttachmentBytes: A packet whose attachments have more bytes together is refused.
  public init(maxAttachments: Int, maxAttachmentBytes: Int = .max) {
    self.maxAttachments = maxAttachments
    self.maxAttachmentBytes = maxAttachmentBytes
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
    guard binary.count <= maxAttachmentBytes - waitingBytes else { throw .attachmentsTooLarge }
    packet.attachments.append(binary)
    guard packet.attachments.count == owed else {
      waiting = packet
      waitingBytes += binary.count
      return nil
    }
    waitingBytes = 0
    waiting = nil
    try Placeholders.renumber(&packet, limit: maxAttachments)
    return packet
  }
}
