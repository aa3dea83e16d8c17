/// A text in which each `*` stands for any text, none included. Compared byte by byte, in a time that grows with both lengths
/// only: clients choose the texts.
struct TextPattern: Sendable {
  /// What stands before the first star.
  private let start: [UInt8]
  /// What stands between two stars, in its order.
  private let parts: [Part]
  /// What stands behind the last star; nil without a star.
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
    // The first place of each part leaves the most for those behind it.
    var rest = text[start.count..<(text.count - end.count)]
    for part in parts {
      guard let place = part.end(in: rest) else { return false }
      rest = rest[place...]
    }
    return true
  }

  /// Bytes that are looked for (Knuth, Morris and Pratt, 1977).
  private struct Part {
    private let bytes: [UInt8]
    /// For each number of bytes that were found: how many of the last ones are the first ones as well, but not all.
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

    /// Behind the first place where they stand; nil if they do not.
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
