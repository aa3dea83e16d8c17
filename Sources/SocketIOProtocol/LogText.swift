/// A client's text, shortened and escaped to fit into one log line.
package struct LogText: CustomStringConvertible {
  static let maxLength = 200
  package let text: String

  package init(_ text: some StringProtocol) {
    let scalars = text.unicodeScalars
    let shown = scalars.prefix(Self.maxLength)
    self.text = shown.map(Self.shown).joined() + (shown.endIndex < scalars.endIndex ? "…" : "")
  }

  private static func shown(_ scalar: Unicode.Scalar) -> String {
    let endsLine = scalar.properties.isWhitespace && scalar != " "
    return endsLine || scalar.properties.generalCategory == .control
      ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
  }

  package var isEmpty: Bool { text.isEmpty }
  package var description: String { text }
}
