import NIOCore
import SocketIOProtocol

/// An Engine.IO packet, encoded once for every socket that gets it: the WebSocket frame, which holds the long-polling
/// form of a text packet as its payload.
struct OutboundPacket: Sendable {
  let frame: ByteBuffer
  private let headerLength: Int
  let isBinary: Bool

  /// A packet of text.
  init(text: [UInt8]) {
    self.init(payload: text, isBinary: false)
  }

  /// A binary message.
  init(binary: [UInt8]) {
    self.init(payload: binary, isBinary: true)
  }

  init(_ packet: EnginePacket) {
    if packet.isBinary {
      self.init(binary: packet.data)
    } else {
      self.init(text: packet.encodedText(.v4))
    }
  }

  private init(payload: [UInt8], isBinary: Bool) {
    var frame = ByteBufferAllocator().buffer(capacity: payload.count + WebSocketFrame.maxServerHeader)
    WebSocketFrame.writeHeader(isBinary ? .binary : .text, length: payload.count, to: &frame)
    headerLength = frame.readableBytes
    frame.writeBytes(payload)
    self.frame = frame
    self.isBinary = isBinary
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

  /// The WebSocket frame for a client of the revision.
  func frame(_ revision: EngineRevision) -> ByteBuffer {
    guard isBinary, revision == .v3 else { return frame }
    guard case .binary(let bytes) = EngineFrame(enginePacket, .v3) else { return frame }
    return OutboundPacket(binary: bytes).frame
  }

  var enginePacket: EnginePacket {
    isBinary ? EnginePacket(binary: payload) : EnginePacket(kind, Array(payload.dropFirst()))
  }

  var kind: EnginePacket.Kind {
    let first = frame.readableBytesView.dropFirst(headerLength).first
    return isBinary ? .message : first.flatMap(EnginePacket.Kind.init(rawValue:)) ?? .noop
  }
}

/// A Socket.IO packet, encoded once: its text, and the attachments that must follow it.
struct OutboundMessage: Sendable {
  let text: OutboundPacket
  let attachments: [OutboundPacket]

  /// In bytes.
  var size: Int { attachments.reduce(text.size) { $0 + $1.size } }

  init(_ packet: SocketPacket) {
    text = OutboundPacket(text: [EnginePacket.Kind.message.rawValue] + packet.encodedText)
    attachments = packet.attachments.map(OutboundPacket.init(binary:))
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

  init(_ event: String, _ arguments: SocketArguments, namespace: String, offset: String? = nil) {
    name = event
    self.arguments = arguments
    var values = arguments.values
    if let offset { values.append(JSONText.quotedBytes(offset)) }
    message = OutboundMessage(
      .event(
        event, arguments: SocketArguments(values).joined, namespace: namespace, attachments: arguments.attachments))
  }
}
