/// A picture of a line of text, for a README.
package struct Badge: Sendable {
  private static let label = "wire contract"
  private let outcome: String
  private let colour: String

  init(_ total: Summary.Feature) {
    switch (total.violated, total.passed) {
    case (0, 0): (outcome, colour) = ("not tried", "#9f9f9f")
    case (0, let passed): (outcome, colour) = ("\(passed) of \(passed + total.skipped) kept", "#2c7a3f")
    case (let violated, _): (outcome, colour) = ("\(violated) violated", "#b3261e")
    }
  }

  package var text: String { "\(Self.label): \(outcome)" }

  package var svg: String {
    // Wide enough for Verdana and its replacements at 11 px; textLength makes the text fit.
    func width(_ text: String) -> Int { text.count * 7 + 12 }
    let (left, right) = (width(Self.label), width(outcome))
    func words(_ text: String, at x: Int, _ width: Int) -> String {
      "    <text x=\"\(x + 6)\" y=\"14\" textLength=\"\(width - 12)\">\(text)</text>"
    }
    return [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(left + right)\" height=\"20\" role=\"img\">",
      "  <title>\(text)</title>",
      "  <rect width=\"\(left)\" height=\"20\" fill=\"#444\"/>",
      "  <rect x=\"\(left)\" width=\"\(right)\" height=\"20\" fill=\"\(colour)\"/>",
      "  <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">",
      words(Self.label, at: 0, left), words(outcome, at: left, right),
      "  </g>", "</svg>", "",
    ].joined(separator: "\n")
  }
}
