import NIOCore

/// The frames that a server sends (RFC 6455 section 5): unmasked, never fragmented.
enum WebSocketFrame {
  enum Opcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xa

    var isControl: Bool { rawValue >= 0x8 }
  }

  enum CloseCode {
    static let goingAway: UInt16 = 1001
    static let protocolError: UInt16 = 1002
    static let invalidData: UInt16 = 1007
    static let tooLarge: UInt16 = 1009
  }

  /// The longest header of a server's frame, in bytes.
  static let maxServerHeader = 10
  /// The longest payload of a control frame, in bytes.
  static let maxControlPayload = 125

  /// The bit in a message's first frame that marks it as compressed (RSV1, RFC 7692 section 6).
  static let compressed: UInt8 = 0x40

  static func writeHeader(_ opcode: Opcode, length: Int, isCompressed: Bool = false, to buffer: inout ByteBuffer) {
    let finalFragment: UInt8 = 0x80
    buffer.writeInteger(finalFragment | (isCompressed ? compressed : 0) | opcode.rawValue)
    switch length {
    case ...maxControlPayload:
      buffer.writeInteger(UInt8(length))
    case ...Int(UInt16.max):
      buffer.writeInteger(UInt8(126))
      buffer.writeInteger(UInt16(length))
    default:
      buffer.writeInteger(UInt8(127))
      buffer.writeInteger(UInt64(length))
    }
  }

  static func control(_ opcode: Opcode, _ payload: [UInt8]) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: payload.count + 2)
    writeHeader(opcode, length: payload.count, to: &buffer)
    buffer.writeBytes(payload)
    return buffer
  }

  static func close(_ code: UInt16?) -> ByteBuffer {
    control(.close, code.map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } ?? [])
  }
}
