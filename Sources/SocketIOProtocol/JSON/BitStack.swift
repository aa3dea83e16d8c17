/// A stack of booleans, one bit each.
struct BitStack {
  private var words: [UInt64] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  var top: Bool? {
    guard count > 0 else { return nil }
    return words[(count - 1) / 64] >> UInt64((count - 1) % 64) & 1 == 1
  }

  mutating func push(_ bit: Bool) {
    let offset = UInt64(count % 64)
    if offset == 0 { words.append(0) }
    if bit { words[count / 64] |= 1 << offset }
    count += 1
  }

  mutating func pop() {
    count -= 1
    if count % 64 == 0 {
      words.removeLast()
    } else {
      words[count / 64] &= ~(1 << UInt64(count % 64))
    }
  }
}
