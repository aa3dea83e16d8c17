import NIOCore
import Synchronization

/// The compressed form of a packet, made for the first WebSocket that can take it and shared by all that can. An event loop that wants
/// it while another makes it waits, which takes less than making it again.
final class SharedDeflation: Sendable {
  private enum Form {
    case unknown
    case frame(ByteBuffer)
    /// It would be no smaller.
    case none
  }

  private struct Forms {
    var usual = Form.unknown
    /// With the type of its packet in front: binary messages in revision 3 of Engine.IO.
    var typed = Form.unknown
  }

  private let forms = Mutex(Forms())

  /// The packet's frame; `nil` if it is to be sent as it is.
  ///
  /// - Parameters:
  ///   - isTyped: Whether the packet's type is in front of a binary message.
  ///   - plain: The packet with the payload that is compressed. Called if there is no frame yet.
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
