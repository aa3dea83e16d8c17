import CZlib

/// Compresses messages independently (RFC 7692 section 7.2.1). One instance serves all WebSockets of an event loop.
///
/// zlib allocates 2^(windowBits + 2) bytes and 128 KiB, and frees them with the instance.
final class Deflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private let output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 16 * 1024)

  /// - Returns: `nil` if there is no memory for it.
  init?(level: Int, windowBits: Int) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A negative window means raw DEFLATE data.
    let status = deflateInit2_(
      stream, CInt(level), Z_DEFLATED, -CInt(windowBits), Self.memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { return nil }
  }

  /// zlib's default: 128 KiB.
  private static let memoryLevel: CInt = 8

  deinit {
    deflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// The empty block at the end of flushed data, which is left out.
  static let tail: [UInt8] = [0, 0, 0xff, 0xff]

  /// How many messages it has processed.
  private(set) var messages = 0

  /// The compressed form of a message; `nil` if it is not smaller.
  func compress(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let size = UInt32(exactly: message.count), deflateReset(stream) == Z_OK else { return nil }
    messages += 1
    var compressed: [UInt8] = []
    // zlib does not change its input.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: message.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = size
    repeat {
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      let status = deflate(stream, Z_SYNC_FLUSH)
      guard status == Z_OK || status == Z_BUF_ERROR else { return nil }
      compressed += output[..<(output.count - Int(stream.pointee.avail_out))]
      guard compressed.count < message.count + Self.tail.count else { return nil }
    } while stream.pointee.avail_out == 0
    guard compressed.suffix(Self.tail.count).elementsEqual(Self.tail) else { return nil }
    compressed.removeLast(Self.tail.count)
    return compressed
  }
}
