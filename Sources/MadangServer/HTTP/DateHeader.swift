import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import Synchronization

/// The `Date` field of answers by the server's clock, formatted anew when its second changes.
package final class DateHeader: Sendable {
  private let clock: Clock
  private let last = Mutex<(second: Int64, text: String)>((.min, ""))

  package init(clock: Clock) { self.clock = clock }

  /// The field's value now.
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
  /// The same with the field `Date`, unless it has one: the answer of a server behind another one has its own. What the connection refuses by itself, or answers with 500 for what was thrown, has none.
  package consuming func dated(_ date: DateHeader) -> Response {
    guard !headers.contains(.date) else { return self }
    headers.append(HTTPField(name: .date, value: date.text))
    return self
  }
}
