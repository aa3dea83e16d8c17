import NIOCore
import Synchronization

/// The compressed form of a packet, made for the first WebSocket that can use it and shared by all others. An event loop that needs it
/// while another one makes it waits, which is faster than making it again.
final class SharedDeflation: Sendable {
  private enum Form {
    case unknown
    case frame(ByteBuffer)
    /// It would not be smaller.
    case none
  }

  private struct Forms {
    var usual = Form.unknown
    /// With the packet's type in front: binary messages in revision 3 of Engine.IO.
    var typed = Form.unknown
  }

  private let forms = Mutex(Forms())

  /// The packet's frame; `nil` if it must be sent uncompressed.
  ///
  /// - Parameters:
  ///   - isTyped: Whether the packet's type is in front of a binary message.
  ///   - plain: The packet to compress. Called if there is no frame yet.
  func frame(isTyped: Bool, by deflater: Deflater, _ plain: () -> OutboundPacket) -> ByteBuffer? {
    forms.withLock { forms in
      isTyped ? Self.frame(&forms.typed, deflater, plain) : Self.frame(&forms.usual, deflater, plain)
    }
  }

  private static func frame(_ form: inout Form, _ deflater: Deflater, _ plain: () -> OutboundPacket) -> ByteBuffer? {
    if case .unknown = form { form = make(deflater, plain()) }
    guard case .frame(let frame) = form else { return nil }
    return frame
  }

  private static func make(_ deflater: Deflater, _ packet: OutboundPacket) -> Form {
    guard let compressed = packet.withPayload({ $0.withUnsafeBytes { deflater.compress($0) } }) else { return .none }
    var frame = ByteBufferAllocator().buffer(capacity: compressed.count + WebSocketFrame.maxServerHeader)
    WebSocketFrame.writeHeader(
      packet.isBinary ? .binary : .text, length: compressed.count, isCompressed: true, to: &frame)
    frame.writeBytes(compressed)
    return .frame(frame)
  }
}
