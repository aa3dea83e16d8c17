/// Assembles Socket.IO packets from Engine.IO messages: a text, and the attachments that it announces.
public struct SocketPacketReader: Sendable {
  /// The limits of one packet.
  struct Limits: Sendable {
    var attachments: Int
    /// All attachments together.
    var attachmentBytes: Int
    /// Including nested values.
    var values: Int
  }

  private let parser: SocketParser
  private let limits: Limits
  private var waiting: SocketPacket?
  private var owed = 0
  /// The bytes of attachments that arrived while others are missing.
  public private(set) var waitingBytes = 0

  /// - Parameters:
  ///   - parser: The encoding of packets.
  ///   - maxAttachments: A packet that has or announces more is refused.
  ///   - maxAttachmentBytes: A packet whose attachments have more bytes together is refused.
  ///   - maxValues: A packet whose payload has more values is refused: strings, numbers, booleans, nulls, arrays and objects, including
  ///     nested ones, the array of an event and its name. Object keys do not count.
  public init(
    parser: SocketParser = .json, maxAttachments: Int, maxAttachmentBytes: Int = .max, maxValues: Int = .max
  ) {
    self.parser = parser
    limits = Limits(attachments: maxAttachments, attachmentBytes: maxAttachmentBytes, values: maxValues)
  }

  /// Whether attachments are missing.
  public var isWaiting: Bool { waiting != nil }

  /// Processes a text or binary message.
  ///
  /// - Returns: The packet, or `nil` while attachments are missing.
  /// - Throws: The errors of the two methods below. With ``SocketParser/msgpack``, any text is an error.
  public mutating func received(_ message: EnginePacket) throws(SocketParseError) -> SocketPacket? {
    switch parser {
    case .json: return message.isBinary ? try received(binary: message.data) : try received(text: message.data)
    case .msgpack:
      guard message.isBinary else { throw .unknownType }
      return try SocketPacket(messagePack: message.data, limits)
    }
  }

  /// Processes the data of a text message of ``SocketParser/json``.
  ///
  /// - Returns: The packet, or `nil` while attachments are missing.
  public mutating func received(text: [UInt8]) throws(SocketParseError) -> SocketPacket? {
    guard waiting == nil else { throw .attachmentMissing }
    let head = try SocketPacketHead(text, maxAttachments: limits.attachments, maxValues: limits.values)
    guard head.attachmentCount > 0 else { return head.packet }
    waiting = head.packet
    owed = head.attachmentCount
    return nil
  }

  /// Processes the data of a binary message of ``SocketParser/json``.
  ///
  /// - Returns: The packet, if this was its last attachment.
  public mutating func received(binary: [UInt8]) throws(SocketParseError) -> SocketPacket? {
    guard var packet = waiting else { throw .unexpectedAttachment }
    guard binary.count <= limits.attachmentBytes - waitingBytes else { throw .attachmentsTooLarge }
    packet.attachments.append(binary)
    guard packet.attachments.count == owed else {
      waiting = packet
      waitingBytes += binary.count
      return nil
    }
    waitingBytes = 0
    waiting = nil
    try Placeholders.renumber(&packet, limit: limits.attachments)
    return packet
  }
}
