import MadangServer

/// A length of real time as text: `500ms`, `5s` or `1m`; also `0.5s`.
package enum WaitText {
  private static let units: [(name: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60)]

  /// How long a call may wait.
  package static let longest: Duration = .seconds(60)

  /// - Throws: `BadCall` for any other text, and for a time below `shortest` or above `limit`.
  package static func duration(
    _ text: String, of field: String, atLeast shortest: Duration = .zero, limit: Duration
  ) throws(BadCall) -> Duration {
    let most = limit / .seconds(1)
    guard let unit = units.first(where: { text.hasSuffix($0.name) }),
      let number = Double(text.dropLast(unit.name.count)),
      number >= 0, number * unit.seconds <= most, case let time = Duration.seconds(number * unit.seconds),
      time >= shortest
    else { throw BadCall("\(field): a time like 5s or 500ms, \(Int(most))s at most") }
    return time
  }
}
