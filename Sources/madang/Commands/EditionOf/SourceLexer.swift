/// A token of a source: enough to see which texts belong together.
struct SourceToken {
  enum Kind: Equatable {
    /// The content of a text, with ``SourceLexer/hole`` for each value in it. Empty if it is too long for a path.
    case text([UInt8])
    case word(String)
    /// Any other byte.
    case mark(UInt8)
  }

  let kind: Kind
  let line: Int

  func isMark(_ mark: Unicode.Scalar) -> Bool { kind == .mark(UInt8(ascii: mark)) }

  var word: String? { if case .word(let word) = kind { word } else { nil } }
  var text: [UInt8]? { if case .text(let text) = kind { text } else { nil } }
}

/// Splits a source into tokens, in linear time. A mistake in the source affects the rest of its line, or of its text.
struct SourceLexer {
  /// Stands for a value inside a text.
  static let hole: UInt8 = 0
  /// Longer texts contain no path.
  private static let longestText = 2048
  /// Texts within values within texts.
  private static let deepestText = 16

  private let language: SourceLanguage
  private let bytes: [UInt8]
  private var place = 0
  private var line = 1
  private var depth = 0

  static func tokens(of bytes: [UInt8], _ language: SourceLanguage) -> [SourceToken] {
    var lexer = SourceLexer(language: language, bytes: bytes)
    var tokens: [SourceToken] = []
    while let token = lexer.next() { tokens.append(token) }
    return tokens
  }

  private init(language: SourceLanguage, bytes: [UInt8]) { (self.language, self.bytes) = (language, bytes) }

  private func peek(_ distance: Int = 0) -> UInt8? {
    place + distance < bytes.count ? bytes[place + distance] : nil
  }

  private func isAt(_ mark: Unicode.Scalar, _ distance: Int = 0) -> Bool { peek(distance) == UInt8(ascii: mark) }

  private mutating func skip(_ count: Int = 1) {
    for _ in 0..<count where place < bytes.count {
      if isAt("\n") { line += 1 }
      place += 1
    }
  }

  private mutating func next() -> SourceToken? {
    while let byte = peek() {
      let start = line
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): skip()
      case UInt8(ascii: "/") where isAt("/", 1): while peek() != nil, !isAt("\n") { skip() }
      case UInt8(ascii: "/") where isAt("*", 1): skipComment()
      default:
        if let opening = opening() { return SourceToken(kind: .text(text(opening)), line: start) }
        if Self.isOfWord(byte) { return SourceToken(kind: .word(word()), line: start) }
        skip()
        return SourceToken(kind: .mark(byte), line: start)
      }
    }
    return nil
  }

  private mutating func skipComment() {
    skip(2)
    var open = 1
    while peek() != nil, open > 0 {
      if isAt("*"), isAt("/", 1) {
        open -= 1
        skip(2)
      } else if language.nestsComments, isAt("/"), isAt("*", 1) {
        open += 1
        skip(2)
      } else {
        skip()
      }
    }
  }

  static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }

  private mutating func word() -> String {
    let start = place
    while let byte = peek(), Self.isOfWord(byte) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  // MARK: Texts

  private struct Opening {
    let quote: SourceLanguage.Quote
    /// How often the quote is repeated: once or three times.
    let quotes: Int
    let hashes: Int
  }

  /// How a text begins here; nil if none begins.
  private func opening() -> Opening? {
    var hashes = 0
    while language.hasHashQuotes, isAt("#", hashes), hashes < 8 { hashes += 1 }
    guard let byte = peek(hashes), let quote = language.quotes.first(where: { $0.byte == byte }) else { return nil }
    let isTriple = language.hasTripleQuotes && peek(hashes + 1) == byte && peek(hashes + 2) == byte
    return Opening(quote: quote, quotes: isTriple ? 3 : 1, hashes: hashes)
  }

  private func closes(_ opening: Opening) -> Bool {
    (0..<opening.quotes).allSatisfy { peek($0) == opening.quote.byte }
      && (0..<opening.hashes).allSatisfy { isAt("#", opening.quotes + $0) }
  }

  private mutating func text(_ opening: Opening) -> [UInt8] {
    depth += 1
    defer { depth -= 1 }
    skip(opening.hashes + opening.quotes)
    let spansLines = opening.quotes == 3 || opening.quote.spansLines
    var content: [UInt8] = []
    while let byte = peek(), spansLines || byte != UInt8(ascii: "\n") {
      if closes(opening) {
        skip(opening.quotes + opening.hashes)
        break
      }
      if skipValue(in: opening, spansLines) {
        content.append(Self.hole)
      } else {
        // An escaped byte stands for itself, as in `\/`.
        if isAt("\\"), opening.hashes == 0, !isAt("\n", 1) { skip() }
        if content.count <= Self.longestText, let byte = peek() { content.append(byte) }
        skip()
      }
    }
    return content.count > Self.longestText ? [] : content
  }

  /// Skips a value in a text. False if none begins here.
  private mutating func skipValue(in opening: Opening, _ spansLines: Bool) -> Bool {
    switch opening.quote.interpolation {
    case .backslash:
      guard isAt("\\"), (0..<opening.hashes).allSatisfy({ isAt("#", 1 + $0) }), isAt("(", 1 + opening.hashes) else {
        return false
      }
      skip(1 + opening.hashes)
      skipBalanced("(", ")", spansLines)
      return true
    case .dollar, .braces:
      guard isAt("$"), let following = peek(1) else { return false }
      if isAt("{", 1) {
        skip()
        skipBalanced("{", "}", spansLines)
        return true
      }
      guard opening.quote.interpolation == .dollar, Self.isOfWord(following) else { return false }
      skip()
      _ = word()
      return true
    case .none: return false
    }
  }

  private mutating func skipBalanced(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ spansLines: Bool) {
    var count = 0
    while let byte = peek(), spansLines || byte != UInt8(ascii: "\n") {
      if depth < Self.deepestText, let opening = opening() {
        _ = text(opening)
        continue
      }
      if isAt(open) { count += 1 }
      if isAt(close) { count -= 1 }
      skip()
      if count == 0 { return }
    }
  }
}
