import Foundation
import MadangAPI

/// A date of the wire in the time zone of whoever reads.
struct LocalTime {
  let day: String
  let time: String

  /// What cannot be read as a date is shown as it came.
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
