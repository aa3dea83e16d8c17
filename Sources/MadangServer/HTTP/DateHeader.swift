import Hummingbird
import MadangAPI
import MadangCore
import Synchronization

/// The `Date` field of answers by the server's clock, formatted once a second.
final class DateHeader: Sendable {
  private let clock: Clock
  private let last = Mutex<(second: Int64, text: String)>((.min, ""))

  init(clock: Clock) { self.clock = clock }

  var text: String {
    let now = clock.now
    let second = now.quotientAndRemainder(dividingBy: 1000).quotient
    return last.withLock { last in
      if last.second != second { last = (second, WireDate.http(now)) }
      return last.text
    }
  }
}

extension Response {
  /// The same with the `Date` that all answers have.
  consuming func dated(_ date: DateHeader) -> Response {
    headers[.date] = date.text
    return self
  }
}
