import MadangCore
import MadangServer

/// A length of time in a call: text like `500ms` or `10m`, or a number of seconds (``LengthOfTime``).
package struct GivenTime: Decodable, Sendable {
  package let milliseconds: Int64

  /// How long a call may wait.
  package static let longest: Duration = .seconds(60)

  /// What to write, in errors.
  static let form = "a length of time like 500ms, 5s, 10m, 25h or 30d, or a number of seconds"

  /// Nil for any other text.
  package init?(_ text: String) {
    guard let milliseconds = LengthOfTime.milliseconds(text) else { return nil }
    self.milliseconds = milliseconds
  }

  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    let read =
      if let text = try? value.decode(String.self) {
        LengthOfTime.milliseconds(text)
      } else {
        (try? value.decode(Double.self)).flatMap { LengthOfTime.milliseconds(ofSeconds: $0) }
      }
    guard let read else { throw DecodingError.dataCorruptedError(in: value, debugDescription: Self.form) }
    milliseconds = read
  }

  /// - Throws: `BadCall` for a time below `shortest` or above `limit`.
  func duration(of field: String, atLeast shortest: Duration = .zero, limit: Duration) throws(BadCall) -> Duration {
    let time = Duration.milliseconds(milliseconds)
    guard time >= shortest, time <= limit else { throw Self.refusal(field, shortest, limit) }
    return time
  }

  /// The same in milliseconds.
  func milliseconds(of field: String, limit: Duration) throws(BadCall) -> Int64 {
    _ = try duration(of: field, limit: limit)
    return milliseconds
  }

  /// A length of time as a query or a command has it.
  /// - Throws: `BadCall` for any other text, and for a time below `shortest` or above `limit`.
  package static func duration(
    _ text: String, of field: String, atLeast shortest: Duration = .zero, limit: Duration
  ) throws(BadCall) -> Duration {
    guard let time = GivenTime(text) else { throw refusal(field, shortest, limit) }
    return try time.duration(of: field, atLeast: shortest, limit: limit)
  }

  private static func refusal(_ field: String, _ shortest: Duration, _ longest: Duration) -> BadCall {
    func words(_ time: Duration) -> String { LengthOfTime.text(ofMilliseconds: time.wholeMilliseconds) }
    let bounds = shortest > .zero ? "from \(words(shortest)) to \(words(longest))" : "at most \(words(longest))"
    return BadCall("\(field): \(form), \(bounds)")
  }
}
