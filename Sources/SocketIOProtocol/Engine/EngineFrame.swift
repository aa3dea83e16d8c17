/// The content of one WebSocket message of an Engine.IO connection: one packet.
public enum EngineFrame: Equatable, Sendable {
  case text([UInt8])
  case binary([UInt8])

  /// The WebSocket message for a packet. Binary data is a binary message: only the data in revision 4, with the number of the packet type
  /// in front in revision 3.
  public init(_ packet: EnginePacket, _ revision: EngineRevision) {
    guard packet.isBinary else {
      self = .text(packet.encodedText(revision))
      return
    }
    switch revision {
    case .v4: self = .binary(packet.data)
    case .v3: self = .binary([packet.kind.rawValue - EnginePacket.Kind.open.rawValue] + packet.data)
    }
  }
}

extension EnginePacket {
  /// Parses the packet of a WebSocket message. Text that begins with `b` is base64: after an upgrade, some clients send packets that were
  /// queued for polling in this form.
  public init(frame: EngineFrame, _ revision: EngineRevision) throws(EngineParseError) {
    switch (frame, revision) {
    case (.text(let text), _):
      try self.init(text: text[...], revision)
    case (.binary(let bytes), .v4):
      self.init(binary: bytes)
    case (.binary(let bytes), .v3):
      guard let first = bytes.first else { throw .emptyPacket }
      guard first == EnginePacket.Kind.message.rawValue - EnginePacket.Kind.open.rawValue else { throw .unknownType }
      self.init(binary: Array(bytes.dropFirst()))
    }
  }
}
