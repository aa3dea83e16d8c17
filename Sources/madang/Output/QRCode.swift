/// A QR code of a short text (ISO/IEC 18004): versions 1 to 6, error correction level M, byte mode.
struct QRCode {
  /// The modules by row and column; true is dark.
  let modules: [[Bool]]

  private struct Version {
    let size: Int
    let dataBytes: Int
    let blocks: Int
    /// Error correction bytes per block.
    let correction: Int
  }

  private static let versions = [
    Version(size: 21, dataBytes: 16, blocks: 1, correction: 10),
    Version(size: 25, dataBytes: 28, blocks: 1, correction: 16),
    Version(size: 29, dataBytes: 44, blocks: 1, correction: 26),
    Version(size: 33, dataBytes: 64, blocks: 2, correction: 18),
    Version(size: 37, dataBytes: 86, blocks: 2, correction: 24),
    Version(size: 41, dataBytes: 108, blocks: 4, correction: 16),
  ]

  /// Nil if the text is longer than 106 bytes.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    // Mode and length take one and a half bytes.
    guard let version = Self.versions.first(where: { bytes.count + 2 <= $0.dataBytes }) else { return nil }
    let codewords = Self.codewords(bytes, version)
    let drawings = (0..<8).map { QRDrawing(size: version.size, codewords: codewords, mask: $0) }
    modules = (drawings.min { $0.penalty < $1.penalty } ?? drawings[0]).modules
  }

  /// Data and error correction bytes in drawing order.
  private static func codewords(_ bytes: [UInt8], _ version: Version) -> [UInt8] {
    var bits: [Bool] = []
    func append(_ value: Int, _ count: Int) {
      for shift in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> shift & 1 == 1) }
    }
    append(0b0100, 4)
    append(bytes.count, 8)
    for byte in bytes { append(Int(byte), 8) }
    append(0, min(4, version.dataBytes * 8 - bits.count))
    append(0, (8 - bits.count % 8) % 8)
    var data = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    for index in 0..<version.dataBytes - data.count { data.append(index % 2 == 0 ? 0xEC : 0x11) }

    let length = version.dataBytes / version.blocks
    let blocks = (0..<version.blocks).map { Array(data[$0 * length..<($0 + 1) * length]) }
    let divisor = GaloisField.divisor(degree: version.correction)
    let corrections = blocks.map { GaloisField.remainder(of: $0, by: divisor) }
    return (0..<length).flatMap { index in blocks.map { $0[index] } }
      + (0..<version.correction).flatMap { index in corrections.map { $0[index] } }
  }

  /// Two rows of modules per line, black on white in any colour scheme, with the margin that readers need.
  var terminalText: String {
    let margin = 4
    let side = modules.count + 2 * margin
    func isDark(_ row: Int, _ column: Int) -> Bool {
      guard modules.indices.contains(row - margin), modules.indices.contains(column - margin) else { return false }
      return modules[row - margin][column - margin]
    }
    return stride(from: 0, to: side, by: 2).map { row in
      let line = (0..<side).map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return "\u{1B}[38;5;16;48;5;231m\(line.joined())\u{1B}[0m"
    }.joined(separator: "\n")
  }
}

/// Arithmetic in the field of 256 elements that QR codes use (polynomial 0x11D).
private enum GaloisField {
  static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var result = 0
    for shift in stride(from: 7, through: 0, by: -1) {
      result = (result << 1) ^ ((result >> 7) * 0x11D)
      result ^= ((Int(right) >> shift) & 1) * Int(left)
    }
    return UInt8(truncatingIfNeeded: result)
  }

  /// The product of (x - 2^n) for n from 0 to below the degree, without the leading coefficient 1.
  static func divisor(degree: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: degree - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<degree {
      for index in result.indices {
        result[index] = product(result[index], root) ^ (index + 1 < degree ? result[index + 1] : 0)
      }
      root = product(root, 2)
    }
    return result
  }

  static func remainder(of data: [UInt8], by divisor: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: divisor.count)
    for byte in data {
      let factor = byte ^ result.removeFirst()
      result.append(0)
      for index in result.indices { result[index] ^= product(divisor[index], factor) }
    }
    return result
  }
}
