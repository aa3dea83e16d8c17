/// A picture of one colour, as PNG (W3C PNG, third edition): a palette of one colour, one bit for each dot, uncompressed.
struct PlainPicture {
  /// Red, green, blue.
  let color: [UInt8]
  let width: Int
  let height: Int

  var png: [UInt8] {
    let header = Self.bytes(UInt32(width)) + Self.bytes(UInt32(height)) + [1, 3, 0, 0, 0]
    // Each line begins with the number of its filter.
    let dots = [UInt8](repeating: 0, count: height * (1 + (width + 7) / 8))
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.chunk("IHDR", header) + Self.chunk("PLTE", color)
      + Self.chunk("IDAT", Self.zlib(dots)) + Self.chunk("IEND", [])
  }

  private static func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(kind.utf8) + data
    return bytes(UInt32(data.count)) + body + bytes(crc(body))
  }

  /// Stored blocks (RFC 1950 and 1951).
  private static func zlib(_ data: [UInt8]) -> [UInt8] {
    var (out, rest) = ([UInt8]([0x78, 0x01]), data[...])
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      out += [rest.isEmpty ? 1 : 0, UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)]
      out += block
    } while !rest.isEmpty
    var (low, high) = (UInt32(1), UInt32(0))
    for byte in data {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return out + bytes(high << 16 | low)
  }

  private static func crc(_ data: [UInt8]) -> UInt32 {
    ~data.reduce(.max) { crc, byte in crc >> 8 ^ remainders[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
  }

  /// What each byte adds to a check sum (W3C PNG, annex D).
  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
  }

  private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
}
