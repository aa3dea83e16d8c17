/// Some items of an expectation, by their indices.
struct ItemSet: Equatable, Sendable, Sequence {
  private var words = SIMD4<UInt64>()

  /// One more than the largest index.
  static let limit = 256

  init() {}

  func contains(_ item: Int) -> Bool { words[item >> 6] & 1 << UInt64(item & 63) != 0 }
  mutating func insert(_ item: Int) { words[item >> 6] |= 1 << UInt64(item & 63) }
  mutating func formUnion(_ other: ItemSet) { words |= other.words }
  mutating func formIntersection(_ other: ItemSet) { words &= other.words }

  func subtracting(_ other: ItemSet) -> ItemSet {
    var rest = self
    rest.words &= ~other.words
    return rest
  }

  var isEmpty: Bool { words == SIMD4() }

  /// The indices, in order.
  func makeIterator() -> Iterator { Iterator(words: words) }

  struct Iterator: IteratorProtocol {
    fileprivate var words: SIMD4<UInt64>
    private var place = 0

    fileprivate init(words: SIMD4<UInt64>) { self.words = words }

    mutating func next() -> Int? {
      while place < words.scalarCount {
        let word = words[place]
        guard word == 0 else {
          words[place] = word & (word - 1)
          return place << 6 | word.trailingZeroBitCount
        }
        place += 1
      }
      return nil
    }
  }
}
