import CZlib

/// The contents of a gzip or zlib stream; `nil` if it is invalid, or longer than `limit`.
func inflated(_ bytes: [UInt8], limit: Int = 1 << 20) -> [UInt8]? {
  let detectsFormat: CInt = 32 + 15
  var stream = z_stream()
  guard inflateInit2_(&stream, detectsFormat, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
    return nil
  }
  defer { inflateEnd(&stream) }
  var input = bytes
  var isWhole = false
  let output = input.withUnsafeMutableBufferPointer { input in
    [UInt8](unsafeUninitializedCapacity: limit) { output, count in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(output.count)
      isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END
      count = Int(stream.total_out)
    }
  }
  return isWhole ? output : nil
}
