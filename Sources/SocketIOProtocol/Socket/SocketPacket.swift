/// One Socket.IO packet (protocol revision 5; revision 4 differs only in CONNECT and ERROR payloads).
public struct SocketPacket: Equatable, Sendable {
  /// The packet types. Binary packets have the same types; `attachments` shows whether there are any.
  public enum Kind: UInt8, Sendable {
    case connect = 0
    case disconnect
    case event
    case ack
    case connectError
  }

  /// The default namespace, whose name packets may omit.
  public static let mainNamespace = "/"

  public var kind: Kind
  public var namespace: String
  public var id: AckID?
  /// The payload as JSON text; empty if there is none. For events and acknowledgements it is an array.
  public var payload: [UInt8]
  /// Binary attachments. The payload refers to them by placeholder objects, numbered in the order of appearance.
  public var attachments: [[UInt8]]

  public init(
    _ kind: Kind, namespace: String = mainNamespace, id: AckID? = nil, payload: [UInt8] = [],
    attachments: [[UInt8]] = []
  ) {
    self.kind = kind
    self.namespace = namespace
    self.id = id
    self.payload = payload
    self.attachments = attachments
  }

  /// An event: its name, and its arguments as JSON texts separated by commas (empty for none).
  public static func event(
    _ name: String, arguments: [UInt8], namespace: String = mainNamespace, id: AckID? = nil,
    attachments: [[UInt8]] = []
  ) -> SocketPacket {
    var payload: [UInt8] = [UInt8(ascii: "[")]
    payload.reserveCapacity(name.utf8.count + arguments.count + 5)
    payload += JSONText.quotedBytes(name)
    if !arguments.isEmpty {
      payload.append(UInt8(ascii: ","))
      payload += arguments
    }
    payload.append(UInt8(ascii: "]"))
    return SocketPacket(.event, namespace: namespace, id: id, payload: payload, attachments: attachments)
  }

  /// An acknowledgement with its arguments as JSON texts separated by commas (empty for none).
  public static func ack(
    _ id: AckID, arguments: [UInt8], namespace: String = mainNamespace, attachments: [[UInt8]] = []
  ) -> SocketPacket {
    SocketPacket(
      .ack, namespace: namespace, id: id, payload: [UInt8(ascii: "[")] + arguments + [UInt8(ascii: "]")],
      attachments: attachments)
  }

  /// The packet's text, without the attachments that follow it: `<type>[<n>-][<namespace>,][<id>][payload]`.
  public var encodedText: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(namespace.utf8.count + payload.count + 12)
    text.append(wireType)
    if !attachments.isEmpty { text += Array("\(attachments.count)-".utf8) }
    if namespace != Self.mainNamespace {
      text += Array(namespace.utf8)
      text.append(UInt8(ascii: ","))
    }
    if let id { text += Array(id.digits.utf8) }
    text += payload
    return text
  }

  private var wireType: UInt8 {
    let binaryOffset: UInt8 = 3
    return UInt8(ascii: "0") + kind.rawValue + (attachments.isEmpty ? 0 : binaryOffset)
  }

  /// The Engine.IO messages of the packet: with ``SocketParser/json`` its text, then its attachments; with ``SocketParser/msgpack`` one
  /// message.
  public func messages(_ parser: SocketParser = .json) -> [EnginePacket] {
    switch parser {
    case .json: [EnginePacket(.message, encodedText)] + attachments.map(EnginePacket.init(binary:))
    case .msgpack: [EnginePacket(binary: encodedMessagePack)]
    }
  }
}

/// Why bytes are not a Socket.IO packet.
public enum SocketParseError: Error, Equatable, Sendable {
  case unknownType
  case badAttachmentCount
  case badNamespace
  case tooManyAttachments
  /// All attachments together have too many bytes.
  case attachmentsTooLarge
  /// The payload has too many values, including nested ones.
  case tooManyValues
  case badID
  case badPayload
  case badPlaceholder
  /// A text arrived while attachments were missing.
  case attachmentMissing
  /// A binary message arrived while no attachment was missing.
  case unexpectedAttachment
}
