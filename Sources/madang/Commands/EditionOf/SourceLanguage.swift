/// How a programming language writes texts and comments.
struct SourceLanguage: Sendable {
  /// How a text contains values.
  enum Interpolation: Sendable {
    case none
    /// `\(value)`
    case backslash
    /// `${value}`
    case braces
    /// `${value}` and `$value`
    case dollar
  }

  struct Quote: Sendable {
    let byte: UInt8
    let interpolation: Interpolation
    var spansLines = false
  }

  let quotes: [Quote]
  var hasTripleQuotes = false
  /// Whether texts may be written as `#"text"#`.
  var hasHashQuotes = false
  var nestsComments = false

  /// The language of a file; nil for a file that is not read as a source.
  static func of(_ file: String) -> SourceLanguage? {
    switch file.split(separator: ".", omittingEmptySubsequences: false).last.map({ $0.lowercased() }) {
    case "swift":
      SourceLanguage(
        quotes: [Quote(byte: double, interpolation: .backslash)], hasTripleQuotes: true, hasHashQuotes: true,
        nestsComments: true)
    case "m", "mm", "h":
      SourceLanguage(quotes: [Quote(byte: double, interpolation: .none), Quote(byte: single, interpolation: .none)])
    case "java":
      SourceLanguage(
        quotes: [Quote(byte: double, interpolation: .none), Quote(byte: single, interpolation: .none)],
        hasTripleQuotes: true)
    case "kt", "kts":
      SourceLanguage(
        quotes: [Quote(byte: double, interpolation: .dollar), Quote(byte: single, interpolation: .none)],
        hasTripleQuotes: true, nestsComments: true)
    case "dart":
      SourceLanguage(
        quotes: [Quote(byte: double, interpolation: .dollar), Quote(byte: single, interpolation: .dollar)],
        hasTripleQuotes: true, nestsComments: true)
    case "js", "jsx", "mjs", "cjs", "ts", "tsx":
      SourceLanguage(
        quotes: [
          Quote(byte: double, interpolation: .none), Quote(byte: single, interpolation: .none),
          Quote(byte: UInt8(ascii: "`"), interpolation: .braces, spansLines: true),
        ])
    default: nil
    }
  }

  private static let double = UInt8(ascii: "\"")
  private static let single = UInt8(ascii: "'")
}
