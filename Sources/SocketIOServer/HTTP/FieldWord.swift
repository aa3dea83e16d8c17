extension Substring.UTF8View {
  /// Bytes of a name or a parameter. The longest that means anything is `identity`.
  private static let maxWordSize = 16

  /// Part of a header field's value in lower case without blanks; empty if it is longer than what means anything. Bytes, not
  /// characters: those of any text take long to compare.
  var fieldWord: String {
    let word = lazy.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.prefix(Self.maxWordSize + 1)
    return word.count > Self.maxWordSize ? "" : String(decoding: word, as: UTF8.self).lowercased()
  }
}
