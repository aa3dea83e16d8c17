import Foundation
import MadangAPI

/// A date from the wire in the local time zone.
struct LocalTime {
  let day: String
  let time: String

  /// A text that is not a date is shown unchanged.
  init(_ wire: String) {
    guard let label = try? Cursor.label(wire, zoneless: 0) else {
      (day, time) = (wire, "")
      return
    }
    var seconds = time_t(label / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    day = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    time = "\(two(parts.tm_hour)):\(two(parts.tm_min))"
  }
}
