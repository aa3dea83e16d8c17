import NIOCore
import SocketIOProtocol

/// An Engine.IO packet, encoded once for every socket that gets it: the WebSocket frame, which holds the long-polling
/// form of a text packet as its payload.
struct OutboundPacket: Sendable {
  let frame: ByteBuffer
  private let headerLength: Int
  let isBinary: Bool
  /// Whether a long-polling answer may be compressed for it.
  private(set) var mayBeCompressed = true
  /// Set when WebSockets that negotiated compression get the packet compressed.
  let deflation: SharedDeflation?

  /// A packet of text.
  init(text: [UInt8], deflatedSizes: DeflatedSizes = .none) {
    self.init(payload: text, isBinary: false, deflatedSizes)
  }

  /// A binary message.
  init(binary: [UInt8], deflatedSizes: DeflatedSizes = .none) {
    self.init(payload: binary, isBinary: true, deflatedSizes)
  }

  /// - Parameter deflatedSizes: Of which sizes ``payload`` is compressed.
  init(_ packet: EnginePacket, deflatedSizes: DeflatedSizes = .none) {
    if packet.isBinary {
      self.init(binary: packet.data, deflatedSizes: deflatedSizes)
    } else {
      self.init(text: packet.encodedText(.v4), deflatedSizes: deflatedSizes)
    }
  }

  private init(payload: [UInt8], isBinary: Bool, _ deflatedSizes: DeflatedSizes) {
    var frame = ByteBufferAllocator().buffer(capacity: payload.count + WebSocketFrame.maxServerHeader)
    WebSocketFrame.writeHeader(isBinary ? .binary : .text, length: payload.count, to: &frame)
    headerLength = frame.readableBytes
    frame.writeBytes(payload)
    self.frame = frame
    self.isBinary = isBinary
    deflation = deflatedSizes.contains(payload.count) ? SharedDeflation() : nil
  }

  /// The same for senders who want it compressed nowhere, or do not mind.
  func compressed(_ mayBeCompressed: Bool) -> OutboundPacket {
    var packet = self
    packet.mayBeCompressed = mayBeCompressed
    return packet
  }

  /// The bytes behind the frame's header.
  var payload: [UInt8] {
    Array(frame.readableBytesView.dropFirst(headerLength))
  }

  /// The same without a copy.
  func withPayload<Result>(_ body: (ByteBufferView) -> Result) -> Result {
    body(frame.readableBytesView.dropFirst(headerLength))
  }

  /// Of ``payload``.
  var payloadSize: Int { frame.readableBytes - headerLength }

  var size: Int { frame.readableBytes }

  /// In bytes, the compressed form included, which is smaller.
  var keptSize: Int { deflation == nil ? size : 2 * size }

  /// The WebSocket frame for a client of the revision.
  func frame(_ revision: EngineRevision) -> ByteBuffer {
    isTyped(in: revision) ? typed.frame : frame
  }

  /// Whether the packet's type stands in front of a binary message.
  func isTyped(in revision: EngineRevision) -> Bool { isBinary && revision == .v3 }

  /// The same with its type in front.
  var typed: OutboundPacket {
    guard case .binary(let bytes) = EngineFrame(enginePacket, .v3) else { return self }
    return OutboundPacket(binary: bytes)
  }

  var enginePacket: EnginePacket {
    isBinary ? EnginePacket(binary: payload) : EnginePacket(kind, Array(payload.dropFirst()))
  }

  var kind: EnginePacket.Kind {
    let first = frame.readableBytesView.dropFirst(headerLength).first
    return isBinary ? .message : first.flatMap(EnginePacket.Kind.init(rawValue:)) ?? .noop
  }
}

/// How Socket.IO packets are encoded.
struct OutboundEncoding: Sendable {
  var parser: SocketParser
  /// Of which sizes the WebSocket messages that carry them are compressed.
  var deflatedSizes = DeflatedSizes.none
  /// Whether the sender allows it to be compressed.
  var mayBeCompressed = true

  var uncompressed: OutboundEncoding { OutboundEncoding(parser: parser, mayBeCompressed: false) }
}

/// A Socket.IO packet, encoded once: the message that begins it, which may be all of it, and the attachments that must follow.
struct OutboundMessage: Sendable {
  let head: OutboundPacket
  let attachments: [OutboundPacket]

  /// In bytes.
  var size: Int { attachments.reduce(head.size) { $0 + $1.size } }

  /// In bytes, the compressed forms included, which are smaller.
  var keptSize: Int {
    attachments.reduce(head.keptSize) { $0 + $1.keptSize }
  }

  init(_ packet: SocketPacket, _ encoding: OutboundEncoding) {
    let sizes = encoding.deflatedSizes
    switch encoding.parser {
    case .json:
      head = OutboundPacket(text: [EnginePacket.Kind.message.rawValue] + packet.encodedText, deflatedSizes: sizes)
        .compressed(encoding.mayBeCompressed)
      attachments = packet.attachments.map {
        OutboundPacket(binary: $0, deflatedSizes: sizes).compressed(encoding.mayBeCompressed)
      }
    case .msgpack:
      head = OutboundPacket(binary: packet.encodedMessagePack, deflatedSizes: sizes)
        .compressed(encoding.mayBeCompressed)
      attachments = []
    }
  }
}

/// An event for any number of sockets, encoded once, or twice when some are to be recovered.
struct OutboundEvent: Sendable {
  /// The event for clients that are to be recovered: its offset is the last argument.
  struct Numbered: Sendable {
    var message: OutboundMessage
    /// `nil` for an event that is not kept.
    var number: UInt64?
  }

  let name: String
  /// Without an offset.
  let arguments: SocketArguments
  var message: OutboundMessage
  var numbered: Numbered?

  init(
    _ event: String, _ arguments: SocketArguments, namespace: String, offset: String? = nil,
    _ encoding: OutboundEncoding
  ) {
    name = event
    self.arguments = arguments
    var values = arguments.values
    if let offset { values.append(JSONText.quotedBytes(offset)) }
    message = OutboundMessage(
      .event(
        event, arguments: SocketArguments(values).joined, namespace: namespace, attachments: arguments.attachments),
      encoding)
  }
}
