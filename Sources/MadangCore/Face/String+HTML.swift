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
}
