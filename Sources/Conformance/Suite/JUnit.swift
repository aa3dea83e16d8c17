/// Outcomes as JUnit's XML, which CI services show: a suite for each heading of the contract, a case for each rule and edition.
package enum JUnit {
  package static func xml(_ outcomes: [Outcome]) -> String {
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      "<testsuites name=\"madang conformance\"\(counts(outcomes))>",
    ]
    for section in Section.allCases {
      let own = outcomes.filter { $0.section == section.rawValue }
      guard !own.isEmpty else { continue }
      lines.append("  <testsuite name=\"\(escaped(section.rawValue))\"\(counts(own))>")
      lines += own.flatMap(testCase)
      lines.append("  </testsuite>")
    }
    return (lines + ["</testsuites>", ""]).joined(separator: "\n")
  }

  private static func counts(_ outcomes: [Outcome]) -> String {
    let total = Summary(outcomes).total
    return " tests=\"\(outcomes.count)\" failures=\"\(total.violated)\" errors=\"0\" skipped=\"\(total.skipped)\""
  }

  private static func testCase(_ outcome: Outcome) -> [String] {
    let name = escaped("\(outcome.rule) (\(outcome.edition))")
    let start = "    <testcase classname=\"\(escaped(outcome.section))\" name=\"\(name)\""
    let evidence = outcome.evidence ?? ""
    switch outcome.outcome {
    case .passed: return [start + "/>"]
    case .skipped: return [start + ">", "      <skipped message=\"\(escaped(evidence))\"/>", "    </testcase>"]
    case .violated:
      let words = [outcome.sentence, evidence, outcome.request, outcome.cause].compactMap(\.self)
      return [
        start + ">",
        "      <failure message=\"\(escaped(evidence))\" type=\"\(escaped(outcome.cause ?? "violation"))\">"
          + escaped(words.joined(separator: "\n")) + "</failure>",
        "    </testcase>",
      ]
    }
  }

  /// The text for an attribute or an element. Characters that XML 1.0 cannot hold become a replacement.
  private static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;".unicodeScalars
      case "<": escaped += "&lt;".unicodeScalars
      case ">": escaped += "&gt;".unicodeScalars
      case "\"": escaped += "&quot;".unicodeScalars
      case "\n", "\t": escaped.append(scalar)
      case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): escaped.append("\u{FFFD}")
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
