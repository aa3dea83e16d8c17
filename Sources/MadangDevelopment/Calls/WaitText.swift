import MadangServer

/// How long somebody waits, as text: `5s` or `500ms`.
enum WaitText {
  /// - Throws: `BadCall` for anything else, and for more than `limit`.
  static func duration(_ text: String, of field: String, limit: Duration) throws(BadCall) -> Duration {
    let unit = text.hasSuffix("ms") ? "ms" : text.hasSuffix("s") ? "s" : ""
    let most = limit / .seconds(1)
    guard !unit.isEmpty, let number = Double(text.dropLast(unit.count)), number >= 0,
      number * (unit == "s" ? 1 : 0.001) <= most
    else { throw BadCall("\(field): a time like 5s or 500ms, \(Int(most))s at most") }
    return unit == "s" ? .seconds(number) : .milliseconds(number)
  }
}
