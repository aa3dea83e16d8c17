/// A client's text, shortened and escaped to fit into one log line.
public struct LogText: CustomStringConvertible {
  static let maxLength = 200
  /// The shortened and escaped text.
  public let text: String

  public init(_ text: some StringProtocol) {
    let scalars = text.unicodeScalars
    let shown = scalars.prefix(Self.maxLength)
    self.text = shown.map(Self.shown).joined() + (shown.endIndex < scalars.endIndex ? "…" : "")
  }

  private static func shown(_ scalar: Unicode.Scalar) -> String {
    let endsLine = scalar.properties.isWhitespace && scalar != " "
    return endsLine || scalar.properties.generalCategory == .control
      ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
  }

  public var isEmpty: Bool { text.isEmpty }
  public var description: String { text }
}
