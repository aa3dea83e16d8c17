import CZlib

/// How the body of an HTTP answer is compressed (RFC 9110 section 8.4.1).
package enum ContentCoding: String {
  case gzip
  case deflate

  /// The client's preferred coding, gzip if equal; `nil` if it accepts neither.
  package init?(accepted field: String?) {
    var weights: [String: Double] = [:]
    for item in (field ?? "").utf8.split(separator: UInt8(ascii: ",")) {
      let parts = item.split(separator: UInt8(ascii: ";"), maxSplits: Self.maxParameters).map(\.fieldWord)
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
      if let name = parts.first { weights[name] = weight ?? 1 }
    }
    let gzip = weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0
    let deflate = weights["deflate"] ?? weights["*"] ?? 0
    guard max(gzip, deflate) > 0 else { return nil }
    self = deflate > gzip ? .deflate : .gzip
  }

  private static let maxParameters = 4

  /// Compresses the bytes; `nil` if there is no memory.
  package func compress(_ bytes: [UInt8]) -> [UInt8]? {
    let largestWindow: CInt = 15
    let gzipFrame: CInt = 16
    let defaultMemory: CInt = 8
    var stream = z_stream()
    guard
      deflateInit2_(
        &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, self == .gzip ? largestWindow + gzipFrame : largestWindow,
        defaultMemory, Z_DEFAULT_STRATEGY, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    let bound = Int(deflateBound(&stream, UInt(bytes.count)))
    return input.withUnsafeMutableBufferPointer { input in
      [UInt8](unsafeUninitializedCapacity: bound) { output, count in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        // The output has room for the worst case, so one call is enough.
        count = CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : 0
      }
    }
  }
}
