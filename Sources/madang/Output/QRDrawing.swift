/// The modules of a QR code with one of the eight masks.
struct QRDrawing {
  private(set) var modules: [[Bool]]
  private var isFixed: [[Bool]]
  private let size: Int

  init(size: Int, codewords: [UInt8], mask: Int) {
    self.size = size
    modules = Array(repeating: Array(repeating: false, count: size), count: size)
    isFixed = modules
    drawPatterns()
    drawFormat(mask)
    draw(codewords, mask)
  }

  private mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
    modules[row][column] = isDark
    isFixed[row][column] = true
  }

  private mutating func drawPatterns() {
    for index in 0..<size {
      fix(6, index, index % 2 == 0)
      fix(index, 6, index % 2 == 0)
    }
    for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawSquares(row, column, reach: 4) }
    // Version 1 has no alignment pattern.
    if size > 21 { drawSquares(size - 7, size - 7, reach: 2) }
  }

  /// Concentric squares; the ones at distance 2 and 4 are light.
  private mutating func drawSquares(_ row: Int, _ column: Int, reach: Int) {
    for down in -reach...reach {
      for right in -reach...reach {
        let distance = max(abs(down), abs(right))
        guard (0..<size).contains(row + down), (0..<size).contains(column + right) else { continue }
        // An alignment pattern has a single dark module in a light ring; the centre of a finder pattern is three modules wide.
        fix(row + down, column + right, reach == 2 ? distance != 1 : distance != 2 && distance != 4)
      }
    }
  }

  /// Draws the format: error correction level M, and the mask.
  private mutating func drawFormat(_ mask: Int) {
    var remainder = mask
    for _ in 0..<10 { remainder = (remainder << 1) ^ ((remainder >> 9) * 0x537) }
    let bits = (mask << 10 | remainder) ^ 0x5412
    func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
    for index in 0..<6 { fix(index, 8, bit(index)) }
    fix(7, 8, bit(6))
    fix(8, 8, bit(7))
    fix(8, 7, bit(8))
    for index in 9..<15 { fix(8, 14 - index, bit(index)) }
    for index in 0..<8 { fix(8, size - 1 - index, bit(index)) }
    for index in 8..<15 { fix(size - 15 + index, 8, bit(index)) }
    fix(size - 8, 8, true)
  }

  /// Upwards and downwards in pairs of columns, from the right.
  private mutating func draw(_ codewords: [UInt8], _ mask: Int) {
    var index = 0
    for pair in stride(from: size - 1, through: 1, by: -2) {
      // The column of the timing pattern is skipped.
      let right = pair <= 6 ? pair - 1 : pair
      for step in 0..<size {
        let isUpward = (right + 1) & 2 == 0
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where !isFixed[row][column] {
          let isSet = index < codewords.count * 8 && codewords[index / 8] >> (7 - index % 8) & 1 == 1
          modules[row][column] = isSet != Self.isMasked(row, column, mask)
          index += 1
        }
      }
    }
  }

  private static func isMasked(_ row: Int, _ column: Int, _ mask: Int) -> Bool {
    switch mask {
    case 0: (row + column) % 2 == 0
    case 1: row % 2 == 0
    case 2: column % 3 == 0
    case 3: (row + column) % 3 == 0
    case 4: (row / 2 + column / 3) % 2 == 0
    case 5: row * column % 2 + row * column % 3 == 0
    case 6: (row * column % 2 + row * column % 3) % 2 == 0
    default: ((row + column) % 2 + row * column % 3) % 2 == 0
    }
  }

  /// How hard the code is to read; lower is better.
  var penalty: Int {
    let columns = (0..<size).map { column in modules.map { $0[column] } }
    var penalty = (modules + columns).reduce(0) { $0 + Self.penalty(ofLine: $1) }
    for row in 0..<size - 1 {
      for column in 0..<size - 1 {
        let square = [modules[row][column + 1], modules[row + 1][column], modules[row + 1][column + 1]]
        if square.allSatisfy({ $0 == modules[row][column] }) { penalty += 3 }
      }
    }
    let dark = modules.joined().count { $0 }
    return penalty + abs(dark * 20 - size * size * 10) / (size * size) * 10
  }

  private static let finderLike: [[Bool]] = {
    let finder = [true, false, true, true, true, false, true]
    let light = [Bool](repeating: false, count: 4)
    return [finder + light, light + finder]
  }()

  private static func penalty(ofLine line: [Bool]) -> Int {
    var penalty = 0
    var run = 0
    for index in line.indices {
      run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
      if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
    }
    for start in 0...line.count - 11 where finderLike.contains(Array(line[start..<start + 11])) { penalty += 40 }
    return penalty
  }
}
