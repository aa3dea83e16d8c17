import NIOCore
import SocketIOProtocol

/// Parses the messages of a WebSocket client from its bytes (RFC 6455 sections 5 to 7, RFC 7692 section 6).
struct WebSocketParser {
  enum Event: Equatable {
    case message(EngineFrame)
    case ping([UInt8])
    case pong
    /// A close frame with a valid payload: empty, or a code and a reason.
    case close([UInt8])
    /// The client broke the protocol: close with this code and stop reading.
    case failure(UInt16)
  }

  private struct Header {
    var opcode: WebSocketFrame.Opcode
    var isFinal: Bool
    var isCompressed: Bool
    var length: Int
    var mask: UInt32
    /// The size of the header itself, in bytes.
    var size: Int
  }

  private let maxMessageSize: Int
  /// Set if the client may compress messages.
  private let inflater: Inflater?
  /// Bytes of an unfinished frame; `nil` if there are none, so that an idle socket keeps no buffer.
  private var buffered: ByteBuffer?
  /// A fragmented message: its opcode and its bytes so far.
  private var fragments: (opcode: WebSocketFrame.Opcode, isCompressed: Bool, payload: [UInt8])?

  /// The bytes of an incomplete message.
  var held: Int { (buffered?.readableBytes ?? 0) + (fragments?.payload.count ?? 0) }

  /// The bytes that the buffers can hold without allocating more memory.
  var capacity: Int { (buffered?.storageCapacity ?? 0) + (fragments?.payload.capacity ?? 0) }

  init(maxMessageSize: Int, inflater: Inflater? = nil) {
    self.maxMessageSize = maxMessageSize
    self.inflater = inflater
  }

  mutating func append(_ bytes: ByteBuffer) {
    if buffered == nil {
      buffered = bytes
    } else {
      // Discards parsed bytes before more are written; otherwise a client that always leaves half a frame makes the buffer grow forever. It
      // does so only if at least as many bytes become free as must be moved.
      if let read = buffered?.readerIndex, let rest = buffered?.readableBytes, read >= rest {
        buffered?.discardReadBytes()
      }
      buffered?.writeImmutableBuffer(bytes)
    }
  }

  /// The next event, or `nil` when more bytes are needed.
  mutating func next() -> Event? {
    while let buffer = buffered, buffer.readableBytes > 0 {
      switch Self.readHeader(buffer) {
      case .failure(let error): return .failure(error.code)
      case .success(nil): return nil
      case .success(let header?):
        if let code = violation(header) { return .failure(code) }
        // Compares by subtraction: the sum could overflow, because a length may be as large as an integer.
        guard buffer.readableBytes - header.size >= header.length else { return nil }
        if let event = handle(header, takePayload(header)) { return event }
      }
    }
    buffered = nil
    return nil
  }

  private struct Violation: Error {
    var code = WebSocketFrame.CloseCode.protocolError
  }

  private static func readHeader(_ buffer: ByteBuffer) -> Result<Header?, Violation> {
    var buffer = buffer
    guard let first: UInt8 = buffer.readInteger(), let second: UInt8 = buffer.readInteger() else {
      return .success(nil)
    }
    guard first & 0x30 == 0, let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0f), second & 0x80 != 0 else {
      return .failure(Violation())
    }
    var length = Int(second & 0x7f)
    var size = 6
    if length == 126 {
      guard let extended: UInt16 = buffer.readInteger() else { return .success(nil) }
      length = Int(extended)
      size += 2
    } else if length == 127 {
      guard let extended: UInt64 = buffer.readInteger() else { return .success(nil) }
      guard let exact = Int(exactly: extended) else {
        return .failure(Violation(code: WebSocketFrame.CloseCode.tooLarge))
      }
      length = exact
      size += 8
    }
    guard let mask: UInt32 = buffer.readInteger() else { return .success(nil) }
    return .success(
      Header(
        opcode: opcode, isFinal: first & 0x80 != 0, isCompressed: first & WebSocketFrame.compressed != 0,
        length: length, mask: mask, size: size))
  }

  private func violation(_ header: Header) -> UInt16? {
    if header.isCompressed, inflater == nil || header.opcode.isControl || header.opcode == .continuation {
      return WebSocketFrame.CloseCode.protocolError
    }
    if header.opcode.isControl {
      let fits = header.isFinal && header.length <= WebSocketFrame.maxControlPayload
      return fits ? nil : WebSocketFrame.CloseCode.protocolError
    }
    guard (header.opcode == .continuation) == (fragments != nil) else {
      return WebSocketFrame.CloseCode.protocolError
    }
    let soFar = fragments?.payload.count ?? 0
    let most = fragments?.isCompressed ?? header.isCompressed ? Self.maxCompressedSize(maxMessageSize) : maxMessageSize
    return header.length > most - soFar ? WebSocketFrame.CloseCode.tooLarge : nil
  }

  /// The largest compressed size of a message of `size` bytes: incompressible data grows by up to a 32nd with zlib's least memory.
  private static func maxCompressedSize(_ size: Int) -> Int {
    let (sum, isBeyond) = size.addingReportingOverflow(size / 32 + 64)
    return isBeyond ? .max : sum
  }

  private mutating func takePayload(_ header: Header) -> [UInt8] {
    buffered?.moveReaderIndex(forwardBy: header.size)
    guard var payload = buffered?.readBytes(length: header.length) else { return [] }
    let mask = [
      UInt8(truncatingIfNeeded: header.mask >> 24), UInt8(truncatingIfNeeded: header.mask >> 16),
      UInt8(truncatingIfNeeded: header.mask >> 8), UInt8(truncatingIfNeeded: header.mask),
    ]
    payload.withUnsafeMutableBufferPointer { bytes in
      for index in bytes.indices { bytes[index] ^= mask[index & 3] }
    }
    return payload
  }

  private mutating func handle(_ header: Header, _ payload: [UInt8]) -> Event? {
    switch header.opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong
    case .close: return closeEvent(payload)
    case .text, .binary:
      if header.isFinal { return message(header.opcode, isCompressed: header.isCompressed, payload) }
      fragments = (header.opcode, header.isCompressed, payload)
      return nil
    case .continuation:
      fragments?.payload += payload
      guard header.isFinal, let whole = fragments else { return nil }
      fragments = nil
      return message(whole.opcode, isCompressed: whole.isCompressed, whole.payload)
    }
  }

  private func message(_ opcode: WebSocketFrame.Opcode, isCompressed: Bool, _ payload: [UInt8]) -> Event {
    guard isCompressed, let inflater else { return message(opcode, payload) }
    do throws(Inflater.Flaw) {
      return message(opcode, try inflater.inflate(payload, limit: maxMessageSize))
    } catch {
      switch error {
      case .invalid: return .failure(WebSocketFrame.CloseCode.invalidData)
      case .tooLarge: return .failure(WebSocketFrame.CloseCode.tooLarge)
      }
    }
  }

  private func message(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) -> Event {
    guard opcode == .text else { return .message(.binary(payload)) }
    let isASCII = payload.allSatisfy { $0 < 0x80 }
    guard isASCII || String(validating: payload, as: UTF8.self) != nil else {
      return .failure(WebSocketFrame.CloseCode.invalidData)
    }
    return .message(.text(payload))
  }

  private func closeEvent(_ payload: [UInt8]) -> Event {
    guard payload.count >= 2 else {
      return payload.isEmpty ? .close([]) : .failure(WebSocketFrame.CloseCode.protocolError)
    }
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    let isKnown = (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code)
    guard isKnown else { return .failure(WebSocketFrame.CloseCode.protocolError) }
    guard String(validating: payload.dropFirst(2), as: UTF8.self) != nil else {
      return .failure(WebSocketFrame.CloseCode.invalidData)
    }
    return .close(payload)
  }
}
