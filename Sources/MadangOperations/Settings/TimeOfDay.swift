import Foundation
import MadangCore

/// A time of the day in the server's zone: `03:00`.
public struct TimeOfDay: Equatable, Sendable {
  public let hour: Int
  public let minute: Int

  /// Nil for text of another form.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (48...57).contains($0) } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    (self.hour, self.minute) = (hour, minute)
  }

  public var text: String { "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)" }

  /// The first such moment after `now`, both in milliseconds since 1970.
  func next(after now: Int64, in zone: TimeZone = .current) -> Int64? {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let date = calendar.nextDate(
      after: Date(timeIntervalSince1970: Double(now) / 1000),
      matching: DateComponents(hour: hour, minute: minute, second: 0),
      matchingPolicy: .nextTime)
    return date.map { Int64($0.timeIntervalSince1970 * 1000) }
  }
}

extension SettingForm where Value == TimeOfDay? {
  static var timeOfDay: Self {
    Self(
      "write a time like 03:00, or leave it out",
      read: { text in
        guard !text.isEmpty else { return .some(nil) }
        return TimeOfDay(text)
      }, write: { $0?.text ?? "" })
  }
}
