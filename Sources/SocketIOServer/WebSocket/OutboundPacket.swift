import NIOCore
import SocketIOProtocol

/// An Engine.IO packet, encoded once for all its recipients: the WebSocket frame, whose payload is the long-polling form of a text packet.
struct OutboundPacket: Sendable {
  let frame: ByteBuffer
  private let headerLength: Int
  let isBinary: Bool
  /// Whether a long-polling answer that contains it may be compressed.
  private(set) var mayBeCompressed = true
  /// Set if WebSockets that negotiated compression receive the packet compressed.
  let deflation: SharedDeflation?

  /// A packet of text.
  init(text: [UInt8], deflatedSizes: DeflatedSizes = .none) {
    self.init(payload: text, isBinary: false, deflatedSizes)
  }

  /// A binary message.
  init(binary: [UInt8], deflatedSizes: DeflatedSizes = .none) {
    self.init(payload: binary, isBinary: true, deflatedSizes)
  }

  /// - Parameter deflatedSizes: The sizes of ``payload`` that are compressed.
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

  /// The packet with the sender's choice whether it may be compressed.
  func compressed(_ mayBeCompressed: Bool) -> OutboundPacket {
    var packet = self
    packet.mayBeCompressed = mayBeCompressed
    return packet
  }

  /// The bytes after the frame's header.
  var payload: [UInt8] {
    Array(frame.readableBytesView.dropFirst(headerLength))
  }

  /// Passes the payload without copying it.
  func withPayload<Result>(_ body: (ByteBufferView) -> Result) -> Result {
    body(frame.readableBytesView.dropFirst(headerLength))
  }

  /// The size of ``payload``, in bytes.
  var payloadSize: Int { frame.readableBytes - headerLength }

  var size: Int { frame.readableBytes }

  /// The memory that it may take, in bytes, including the compressed form, which is smaller.
  var keptSize: Int { deflation == nil ? size : 2 * size }

  /// The WebSocket frame for a client of the revision.
  func frame(_ revision: EngineRevision) -> ByteBuffer {
    isTyped(in: revision) ? typed.frame : frame
  }

  /// Whether a binary message has the packet's type in front.
  func isTyped(in revision: EngineRevision) -> Bool { isBinary && revision == .v3 }

  /// The packet with its type in front.
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

struct OutboundEncoding: Sendable {
  var parser: SocketParser
  /// The sizes of WebSocket messages that are compressed.
  var deflatedSizes = DeflatedSizes.none
  /// Whether the sender allows compression.
  var mayBeCompressed = true

  var uncompressed: OutboundEncoding { OutboundEncoding(parser: parser, mayBeCompressed: false) }
}

/// A Socket.IO packet, encoded once: its first message, which may be all of it, and the attachments that must follow.
struct OutboundMessage: Sendable {
  let head: OutboundPacket
  let attachments: [OutboundPacket]

  /// The size in bytes.
  var size: Int { attachments.reduce(head.size) { $0 + $1.size } }

  /// The memory that it may take, in bytes, including the compressed forms, which are smaller.
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

/// An event for any number of sockets, encoded once, or twice if some of them can be recovered.
struct OutboundEvent: Sendable {
  /// The form of the event for recoverable clients, with its offset as the last argument.
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
