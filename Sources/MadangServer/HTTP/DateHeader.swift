import MadangAPI
import MadangCore
import Synchronization

/// The `Date` field of answers by development mode's clock, formatted once a second.
final class DateHeader: Sendable {
  private let clock: Clock
  private let last = Mutex<(second: Int64, text: String)>((.min, ""))

  init(clock: Clock) { self.clock = clock }

  /// Nil as long as the clock shows the time of day: the framework's own `Date` is right then, to a second.
  var text: String? {
    guard !clock.showsTimeOfDay else { return nil }
    let now = clock.now
    let second = now.quotientAndRemainder(dividingBy: 1000).quotient
    return last.withLock { last in
      if last.second != second { last = (second, WireDate.http(now)) }
      return last.text
    }
  }
}
