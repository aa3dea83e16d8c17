/// A text in which each `*` matches any text, also an empty one. Compared by bytes in linear time, because clients choose
/// the texts.
struct TextPattern: Sendable {
  /// The text before the first star.
  private let start: [UInt8]
  /// The texts between two stars, in order.
  private let parts: [Part]
  /// The text after the last star; nil without a star.
  private let end: [UInt8]?

  init(_ text: String) {
    let pieces = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    start = pieces[0]
    parts = pieces.dropFirst().dropLast().filter { !$0.isEmpty }.map(Part.init)
    end = pieces.count > 1 ? pieces[pieces.count - 1] : nil
  }

  func matches(_ text: some StringProtocol) -> Bool {
    let text = Array(text.utf8)
    guard let end else { return text == start }
    guard text.count >= start.count + end.count, text.starts(with: start), text.suffix(end.count).elementsEqual(end)
    else { return false }
    // The first place of each part leaves the most text for the later ones.
    var rest = text[start.count..<(text.count - end.count)]
    for part in parts {
      guard let place = part.end(in: rest) else { return false }
      rest = rest[place...]
    }
    return true
  }

  /// Bytes to search for (Knuth, Morris and Pratt, 1977).
  private struct Part {
    private let bytes: [UInt8]
    /// For each length of a partial match: the length of its longest proper suffix that is also a prefix.
    private let borders: [Int]

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      var borders = [0, 0]
      for byte in bytes.dropFirst() {
        var border = borders[borders.count - 1]
        while border > 0, bytes[border] != byte { border = borders[border] }
        borders.append(bytes[border] == byte ? border + 1 : 0)
      }
      self.borders = borders
    }

    /// The index after the first match; nil without one.
    func end(in text: ArraySlice<UInt8>) -> Int? {
      var found = 0
      for (index, byte) in zip(text.indices, text) {
        while found > 0, bytes[found] != byte { found = borders[found] }
        if bytes[found] == byte { found += 1 }
        if found == bytes.count { return index + 1 }
      }
      return nil
    }
  }
}
