import Foundation
import MadangAPI

/// The touched and untouched parts of the contract.
package struct CoverageReport: Encodable, Sendable {
  package struct Part: Encodable, Sendable {
    package let edition: String
    /// `operations`, `codes`, `fields`, `events` or `flows`.
    package let section: String
    package let total: Int
    package let touched: Int
    /// Rounded down, so that 100 means all.
    package let percent: Double
    /// Names of untouched items.
    package let missing: [String]
    /// How often each touched item was touched.
    package let counts: [String: Int]
  }

  package let parts: [Part]
  package let total: Int
  package let touched: Int
  package let percent: Double

  /// - Parameters:
  ///   - editions: Names of editions; all if there are none.
  ///   - sections: Names of sections; all if there are none.
  package init(_ counts: CoverageCounts, editions: [String] = [], sections: [String] = []) {
    var parts: [Part] = []
    for edition in EditionName.allCases.reversed() where editions.isEmpty || editions.contains(edition.rawValue) {
      for section in Contract.Section.allCases where sections.isEmpty || sections.contains(section.rawValue) {
        let items = Contract.shared.items.filter { $0.edition == edition && $0.section == section }
        let touched = items.filter { counts.count(of: $0) > 0 }
        let missing = items.filter { counts.count(of: $0) == 0 }.map { item in
          let steps = counts.steps(of: item)
          return steps == 0 ? item.name : "\(item.name) (\(steps) \(steps == 1 ? "step was" : "steps were") done)"
        }
        parts.append(
          Part(
            edition: edition.rawValue, section: section.rawValue, total: items.count, touched: touched.count,
            percent: Self.percent(touched.count, of: items.count), missing: missing,
            counts: Dictionary(touched.map { ($0.name, counts.count(of: $0)) }) { first, _ in first }))
      }
    }
    self.parts = parts
    total = parts.reduce(0) { $0 + $1.total }
    touched = parts.reduce(0) { $0 + $1.touched }
    percent = Self.percent(touched, of: total)
  }

  /// The names that ``init(_:editions:sections:)`` takes.
  package static let editions = EditionName.allCases.map(\.rawValue)
  package static let sections = Contract.Section.allCases.map(\.rawValue)

  private static func percent(_ touched: Int, of total: Int) -> Double {
    total == 0 ? 100 : (Double(touched) / Double(total) * 1000).rounded(.down) / 10
  }

  /// A table for terminals, with the untouched items.
  package var text: String {
    var lines = ["edition  section     touched  of      %"]
    for part in parts {
      lines.append(
        "\(part.edition)  \(pad(part.section, 10))  \(lead(part.touched, 7)) \(lead(part.total, 3))  \(lead(part.percent, 5))"
      )
    }
    lines.append("all      \(pad("", 10))  \(lead(touched, 7)) \(lead(total, 3))  \(lead(percent, 5))")
    for part in parts where !part.missing.isEmpty {
      lines.append("\n\(part.edition), \(part.section) never touched:")
      lines += part.missing.map { "  \($0)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
  private func lead(_ value: some CustomStringConvertible, _ width: Int) -> String {
    let text = value.description
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
