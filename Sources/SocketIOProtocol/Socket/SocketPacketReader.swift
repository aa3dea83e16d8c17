/// Puts Socket.IO packets together from Engine.IO messages: a text, and the attachments it announces.
public struct SocketPacketReader: Sendable {
  /// What one packet may have.
  struct Limits: Sendable {
    var attachments: Int
    /// Together.
    var attachmentBytes: Int
    /// Nested ones included.
    var values: Int
  }

  private let parser: SocketParser
  private let limits: Limits
  private var waiting: SocketPacket?
  private var owed = 0
  /// Of attachments that have come while others are owed.
  public private(set) var waitingBytes = 0

  /// - Parameters:
  ///   - parser: How packets travel.
  ///   - maxAttachments: A packet that has more, or announces them, is refused.
  ///   - maxAttachmentBytes: A packet whose attachments have more bytes together is refused.
  ///   - maxValues: A packet is refused whose payload has more values: strings, numbers, booleans, nulls, arrays and objects, nested
  ///     ones included, the array of an event and its name as well. Keys of objects do not count.
  public init(
    parser: SocketParser = .json, maxAttachments: Int, maxAttachmentBytes: Int = .max, maxValues: Int = .max
  ) {
    self.parser = parser
    limits = Limits(attachments: maxAttachments, attachmentBytes: maxAttachmentBytes, values: maxValues)
  }

  /// Whether attachments are owed.
  public var isWaiting: Bool { waiting != nil }

  /// Takes a text or binary message.
  ///
  /// - Returns: The packet, or `nil` while attachments are owed.
  /// - Throws: What the two methods below throw; with ``SocketParser/msgpack`` for any text.
  public mutating func received(_ message: EnginePacket) throws(SocketParseError) -> SocketPacket? {
    switch parser {
    case .json: return message.isBinary ? try received(binary: message.data) : try received(text: message.data)
    case .msgpack:
      guard message.isBinary else { throw .unknownType }
      return try SocketPacket(messagePack: message.data, limits)
    }
  }

  /// Takes the data of a text message of ``SocketParser/json``.
  ///
  /// - Returns: The packet, or `nil` while attachments are owed.
  public mutating func received(text: [UInt8]) throws(SocketParseError) -> SocketPacket? {
    guard waiting == nil else { throw .attachmentMissing }
    let head = try SocketPacketHead(text, maxAttachments: limits.attachments, maxValues: limits.values)
    guard head.attachmentCount > 0 else { return head.packet }
    waiting = head.packet
    owed = head.attachmentCount
    return nil
  }

  /// Takes the data of a binary message of ``SocketParser/json``.
  ///
  /// - Returns: The packet, once this was its last attachment.
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
