/// Lengths of time as people write them, in settings, calls, commands, seeds and scripts: `500ms`, `1.5s`, `10m`, `25h`, `30d`, `2w`, or a
/// number of seconds.
package enum LengthOfTime {
  /// The longest text that is read, in bytes.
  private static let longestText = 32

  private static let units: [(name: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 7 * 86_400_000),
  ]

  /// Milliseconds; nil for any other text, and for a time that is too long for a date.
  /// - Parameter needsUnit: Whether a number of seconds needs its `s`, except 0.
  package static func milliseconds(_ text: some StringProtocol, needsUnit: Bool = false) -> Int64? {
    guard text.utf8.count <= longestText else { return nil }
    let number = text.prefix { ("0"..."9").contains($0) || $0 == "." }
    let unit = text[number.endIndex...]
    guard
      let factor = unit.isEmpty && (!needsUnit || text == "0")
        ? 1000 : units.first(where: { $0.name == String(unit) })?.1
    else { return nil }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), !parts.contains(where: \.isEmpty) else { return nil }
    if parts.count == 1 {
      guard let whole = Int64(number) else { return nil }
      let (product, overflows) = whole.multipliedReportingOverflow(by: factor)
      return overflows || product > Clock.latest ? nil : product
    }
    return Double(number).flatMap { milliseconds($0 * Double(factor)) }
  }

  /// Whole milliseconds of a number of seconds, as ``milliseconds(_:needsUnit:)`` returns them.
  package static func milliseconds(ofSeconds seconds: Double) -> Int64? { milliseconds(seconds * 1000) }

  private static func milliseconds(_ number: Double) -> Int64? {
    (0...Double(Clock.latest)).contains(number) ? Int64(number.rounded()) : nil
  }

  /// A length of time in the largest unit that is exact, except weeks.
  package static func text(ofMilliseconds milliseconds: Int64) -> String {
    guard milliseconds != 0 else { return "0" }
    let unit = units.dropLast().last { milliseconds % $0.milliseconds == 0 } ?? units[0]
    return "\(milliseconds / unit.milliseconds)\(unit.name)"
  }
}

extension Duration {
  /// Whole milliseconds; a part of one is cut off. Exact, unlike a quotient of two durations, which is a floating-point number.
  package var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
