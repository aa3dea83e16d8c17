/// Timestamps of MessagePack, as milliseconds since 1970 and as the text that JavaScript's `Date.toJSON` makes of them.
enum MessagePackTimestamp {
  /// The type of the extension (msgpack.org, `spec.md`).
  static let type: Int8 = -1

  /// The farthest time from 1970 that JavaScript can express (ECMA-262, "Time Values and Time Range").
  private static let most: Int64 = 8_640_000_000_000_000

  /// Reads 4 bytes of seconds; 8 of nanoseconds, in the upper 30 bits, and seconds; or 12 of nanoseconds and seconds.
  static func milliseconds(_ data: ArraySlice<UInt8>) -> Int64? {
    let lower = Int64(bitPattern: integer(data.suffix(8)))
    let (seconds, nanoseconds): (Int64, Int64) =
      switch data.count {
      case 4: (lower, 0)
      case 8: (lower & 0x3_ffff_ffff, Int64(integer(data) >> 34))
      default: (lower, Int64(integer(data.prefix(4))))
      }
    guard (-most / 1000...most / 1000).contains(seconds) else { return nil }
    return inRange(seconds * 1000 + nanoseconds / 1_000_000)
  }

  /// Reads 8 bytes of milliseconds.
  static func ofDate(_ data: ArraySlice<UInt8>) -> Int64? { inRange(Int64(bitPattern: integer(data))) }

  private static func inRange(_ milliseconds: Int64) -> Int64? {
    (-most...most).contains(milliseconds) ? milliseconds : nil
  }

  private static func integer(_ data: ArraySlice<UInt8>) -> UInt64 { data.reduce(0) { $0 << 8 | UInt64($1) } }

  /// The time as `2026-11-26T01:02:03.004Z`; years that need more digits have six, and a sign.
  static func text(_ milliseconds: Int64) -> String {
    let (days, time) = milliseconds.quotientAndModulus(86_400_000)
    let date = civil(days)
    let year =
      (0...9999).contains(date.year)
      ? padded(date.year, 4) : (date.year < 0 ? "-" : "+") + padded(abs(date.year), 6)
    let (hours, minutes) = (time / 3_600_000, time / 60_000 % 60)
    return "\(year)-\(padded(date.month, 2))-\(padded(date.day, 2))T\(padded(hours, 2)):\(padded(minutes, 2))"
      + ":\(padded(time / 1000 % 60, 2)).\(padded(time % 1000, 3))Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The day of the Gregorian calendar, counted from the 1st of March of the year 0, so that a leap day ends its year.
  private static func civil(_ daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (daysSince1970 + 719_468).quotientAndModulus(146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    return (era * 400 + yearOfEra + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, day)
  }
}

extension Int64 {
  /// Division that rounds down; the modulus is not negative. The divisor is positive.
  fileprivate func quotientAndModulus(_ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
