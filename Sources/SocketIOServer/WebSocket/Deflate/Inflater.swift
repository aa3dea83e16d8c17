import CZlib

/// Inflates messages independently (RFC 7692 section 7.2.2). One instance serves all WebSockets of an event loop, because no message can
/// refer to another.
///
/// zlib allocates about 40 KiB and frees them with the instance.
final class Inflater {
  enum Flaw: Error {
    /// The data is not DEFLATE data, or ends within a block.
    case invalid
    case tooLarge
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private let output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 16 * 1024)

  /// - Returns: `nil` if there is no memory for it.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let bareLargestWindow: CInt = -15
    let status = inflateInit2_(stream, bareLargestWindow, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { return nil }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// The total of inflated bytes, including those of messages that became too large.
  private(set) var produced = 0

  /// Inflates a message.
  ///
  /// - Parameter limit: Maximum size of the message, in bytes. Inflating stops at most one byte beyond it.
  func inflate(_ payload: [UInt8], limit: Int) throws(Flaw) -> [UInt8] {
    guard inflateReset(stream) == Z_OK else { throw .invalid }
    var message: [UInt8] = []
    try feed(payload, limit, &message)
    guard try feed(Deflater.tail, limit, &message) else { throw .invalid }
    return message
  }

  /// - Returns: Whether the data may end here, after a block.
  @discardableResult
  private func feed(_ input: [UInt8], _ limit: Int, _ message: inout [UInt8]) throws(Flaw) -> Bool {
    try input.withUnsafeBufferPointer { input throws(Flaw) in
      guard let size = UInt32(exactly: input.count) else { throw .tooLarge }
      // zlib does not change its input.
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = size
      defer { stream.pointee.next_in = nil }
      while true {
        // A message of the maximum length may be followed by empty blocks, so the room is one byte larger.
        let room = min(output.count - 1, limit - message.count) + 1
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(room)
        let status = CZlib.inflate(stream, Z_SYNC_FLUSH)
        let count = room - Int(stream.pointee.avail_out)
        produced += count
        guard message.count + count <= limit else { throw .tooLarge }
        message += output[..<count]
        switch status {
        case Z_STREAM_END:
          // Further blocks may follow a final block (RFC 7692 section 7.2.1), as a new stream.
          guard inflateReset(stream) == Z_OK else { throw .invalid }
          if stream.pointee.avail_in == 0 { return true }
        case Z_OK where stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0: break
        case Z_OK, Z_BUF_ERROR:
          let isBehindBlock: CInt = 128
          return stream.pointee.data_type & isBehindBlock != 0
        case Z_MEM_ERROR: throw .tooLarge
        default: throw .invalid
        }
      }
    }
  }
}
