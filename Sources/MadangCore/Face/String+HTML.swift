extension String {
  /// As text of HTML, also within an attribute.
  package var asHTML: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }

  /// Replaces `{names}` by their values. A value is not searched for names.
  package func filled(_ values: [String: String]) -> String {
    var (result, rest) = ("", self[...])
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      let name = String(rest[rest.index(after: start)..<end])
      result += rest[..<start] + (values[name] ?? String(rest[start...end]))
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// As a name within a sentence: on one line, and without effect on the direction of the text around it, as `<bdi>` in HTML.
  package var asName: String { "\u{2068}\(onOneLine)\u{2069}" }

  /// Without line breaks, control characters, and marks, embeddings, overrides and isolates of a direction.
  var onOneLine: String {
    let scalars = unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
      switch scalar.value {
      case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: nil
      case _ where scalar.properties.isWhitespace || scalar.properties.generalCategory == .control: " "
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
