import Foundation

extension Mail {
  /// A time as mails write it, such as "2026-11-28 22:30:11", in UTC.
  static func second(_ time: Int64) -> String {
    Date(timeIntervalSince1970: Double(time / 1000)).formatted(
      .iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false))
  }

  /// The same without seconds.
  static func minute(_ time: Int64) -> String { String(second(time).prefix(16)) }
}
