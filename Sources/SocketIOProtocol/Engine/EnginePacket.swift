/// One Engine.IO packet: a type and its data.
public struct EnginePacket: Equatable, Sendable {
  /// The packet types; the raw value is the ASCII digit on the wire.
  public enum Kind: UInt8, Sendable {
    case open = 0x30
    case close
    case ping
    case pong
    case message
    case upgrade
    case noop
  }

  public var kind: Kind
  /// UTF-8 text, or raw bytes if `isBinary`.
  public var data: [UInt8]
  /// Whether the data is binary. Only messages can be.
  public var isBinary: Bool

  public init(_ kind: Kind, _ data: [UInt8] = []) {
    self.kind = kind
    self.data = data
    self.isBinary = false
  }

  /// A binary message.
  public init(binary data: [UInt8]) {
    self.kind = .message
    self.data = data
    self.isBinary = true
  }

  /// The data of the ping and pong that test a WebSocket before an upgrade.
  public static let probe: [UInt8] = Array("probe".utf8)

  /// The packet as text: the type's digit and the data. Binary data is `b` (revision 4) or `b4` (revision 3) and base64.
  public func encodedText(_ revision: EngineRevision) -> [UInt8] {
    var text: [UInt8] = []
    guard isBinary else {
      text.reserveCapacity(data.count + 1)
      text.append(kind.rawValue)
      text += data
      return text
    }
    text.append(UInt8(ascii: "b"))
    if revision == .v3 { text.append(kind.rawValue) }
    Base64.encode(data, into: &text)
    return text
  }

  /// Parses a packet from text; a leading `b` marks base64.
  ///
  /// - Throws: `EngineParseError` for an empty text, an unknown type or invalid base64.
  public init(text: ArraySlice<UInt8>, _ revision: EngineRevision) throws(EngineParseError) {
    guard let first = text.first else { throw .emptyPacket }
    if first == UInt8(ascii: "b") {
      let encoded = try Self.base64Part(of: text.dropFirst(), revision)
      guard let bytes = Base64.decode(encoded) else { throw .badBase64 }
      self.init(binary: bytes)
      return
    }
    guard let kind = Kind(rawValue: first) else { throw .unknownType }
    self.init(kind, Array(text.dropFirst()))
  }

  private static func base64Part(
    of text: ArraySlice<UInt8>, _ revision: EngineRevision
  ) throws(EngineParseError) -> ArraySlice<UInt8> {
    guard revision == .v3 else { return text }
    guard text.first == Kind.message.rawValue else { throw .unknownType }
    return text.dropFirst()
  }
}

/// Why bytes are not Engine.IO packets.
public enum EngineParseError: Error, Equatable, Sendable {
  case emptyPacket
  case unknownType
  case badBase64
  case badLength
  case badHandshake
  case tooManyPackets
}
