import ArgumentParser
import Foundation

/// A time in the past as people write it: how long ago (`7d`, `12h`, `30m`, `2w`), a day, or a day and a time. Without a final `Z`, the
/// local time zone applies.
struct Moment {
  /// Milliseconds since 1970.
  let milliseconds: Int64

  private static let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]

  /// Parses a command-line argument.
  static func read(_ argument: String) throws -> Moment {
    guard let moment = Moment(argument, now: Int64(Date().timeIntervalSince1970 * 1000)) else {
      throw ValidationError(
        "write how long ago, like 30m, 12h, 7d or 2w, or a date like 2026-11-24 or 2026-11-24T10:00")
    }
    return moment
  }

  init?(_ text: String, now: Int64) {
    if let last = text.last, let unit = Self.units[last] {
      guard let count = Int64(text.dropLast()), (0...1_000_000).contains(count) else { return nil }
      milliseconds = now - count * unit * 1000
      return
    }
    let form = /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3})\d{0,6})?)?(Z)?)?/.asciiOnlyDigits()
    guard let match = text.wholeMatch(of: form), let year = Int32(match.1), let month = Int32(match.2),
      let day = Int32(match.3)
    else { return nil }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, month - 1, day)
    time.tm_hour = match.4.flatMap { Int32($0) } ?? 0
    time.tm_min = match.5.flatMap { Int32($0) } ?? 0
    time.tm_sec = match.6.flatMap { Int32($0) } ?? 0
    time.tm_isdst = -1
    let written = time
    let seconds = match.8 == nil ? mktime(&time) : timegm(&time)
    // Otherwise the 31st of a month with 30 days would become a day of the next month.
    guard time.tm_mon == written.tm_mon, time.tm_mday == written.tm_mday, written.tm_hour < 24,
      written.tm_min < 60, written.tm_sec < 60
    else { return nil }
    let fraction = match.7.map { $0 + String(repeating: "0", count: 3 - $0.count) } ?? "0"
    milliseconds = Int64(seconds) * 1000 + (Int64(fraction) ?? 0)
  }
}
