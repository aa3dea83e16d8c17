import MadangAPI
import MadangCore
import Synchronization

/// The header `Date` of answers by a clock of development mode, written once for each second.
final class DateHeader: Sendable {
  private let clock: Clock
  private let last = Mutex<(second: Int64, text: String)>((.min, ""))

  init(clock: Clock) { self.clock = clock }

  /// Nil as long as nobody has changed the clock: answers have the time of day without it.
  var text: String? {
    guard clock.hasBeenChanged else { return nil }
    let now = clock.now
    let second = now.quotientAndRemainder(dividingBy: 1000).quotient
    return last.withLock { last in
      if last.second != second { last = (second, WireDate.http(now)) }
      return last.text
    }
  }
}
