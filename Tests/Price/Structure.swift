import Fuzzing

/// Bytes cut at what most grammars have in common: words, brackets, quotes and separators.
struct Structure {
  private(set) var tokens: [ArraySlice<UInt8>] = []

  static let separators: [[UInt8]] = [[0x2c], [0x26], [0x3b], [0x1e], [0x0d, 0x0a]]
  private static let opening: [UInt8] = [0x5b, 0x7b, 0x28]
  private static let closing: [UInt8] = [0x5d, 0x7d, 0x29]

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let first = rest.first {
      let length =
        if Self.isWord(first) {
          rest.prefix(while: Self.isWord).count
        } else if first == 0x22 {
          Self.quoteLength(rest)
        } else {
          rest.starts(with: [0x0d, 0x0a]) ? 2 : 1
        }
      tokens.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x2e, 0x80...: true
    default: false
    }
  }

  private static func quoteLength(_ text: ArraySlice<UInt8>) -> Int {
    let inner = text.dropFirst().prefix { $0 != 0x22 && $0 != 0x5c }
    return inner.endIndex < text.endIndex && text[inner.endIndex] == 0x22 ? inner.count + 2 : 1
  }

  /// What stands between separators and brackets around a token; a whole list when the token is its bracket.
  func item(around index: Int) -> Range<Int> {
    var start = index
    var depth = 0
    while start > 0 {
      let token = tokens[start - 1]
      if depth == 0, Self.isSeparator(token) || isBracket(token, Self.opening) { break }
      if isBracket(token, Self.closing) { depth += 1 }
      if isBracket(token, Self.opening) { depth -= 1 }
      start -= 1
    }
    var end = start
    depth = 0
    while end < tokens.count {
      let token = tokens[end]
      if depth == 0, end > index, Self.isSeparator(token) || isBracket(token, Self.closing) { break }
      if isBracket(token, Self.opening) { depth += 1 }
      if isBracket(token, Self.closing) { depth -= 1 }
      end += 1
    }
    return start..<max(end, start)
  }

  static func isSeparator(_ token: ArraySlice<UInt8>) -> Bool {
    token.count <= 2 && separators.contains { $0.elementsEqual(token) }
  }

  private func isBracket(_ token: ArraySlice<UInt8>, _ kind: [UInt8]) -> Bool {
    token.count == 1 && token.first.map(kind.contains) ?? false
  }

  /// The bytes of a range of tokens.
  func bytes(_ range: some RangeExpression<Int>) -> [UInt8] { Array(tokens[range.relative(to: tokens)].joined()) }

  func random(_ generator: inout SeededGenerator) -> Int { .random(in: 0..<max(1, tokens.count), using: &generator) }
}
