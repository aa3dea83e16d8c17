extension Substring.UTF8View {
  /// The longest name or parameter in bytes; the longest known one is `identity`.
  private static let maxWordSize = 16

  /// Part of a header field's value in lower case without blanks; empty if it is too long to be known. It compares bytes, because comparing
  /// the characters of arbitrary text can be slow.
  var fieldWord: String {
    let word = lazy.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.prefix(Self.maxWordSize + 1)
    return word.count > Self.maxWordSize ? "" : String(decoding: word, as: UTF8.self).lowercased()
  }
}
