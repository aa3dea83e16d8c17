/// MessagePack timestamps, as milliseconds since 1970 and as the text of JavaScript's `Date.toJSON`.
enum MessagePackTimestamp {
  /// The type of the extension (msgpack.org, `spec.md`).
  static let type: Int8 = -1

  /// The time farthest from 1970 that JavaScript can represent (ECMA-262, "Time Values and Time Range").
  private static let most: Int64 = 8_640_000_000_000_000

  /// Parses 4 bytes of seconds; 8 bytes of nanoseconds (the upper 30 bits) and seconds; or 12 bytes of nanoseconds and seconds.
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

  /// Parses 8 bytes of milliseconds.
  static func ofDate(_ data: ArraySlice<UInt8>) -> Int64? { inRange(Int64(bitPattern: integer(data))) }

  private static func inRange(_ milliseconds: Int64) -> Int64? {
    (-most...most).contains(milliseconds) ? milliseconds : nil
  }

  private static func integer(_ data: ArraySlice<UInt8>) -> UInt64 { data.reduce(0) { $0 << 8 | UInt64($1) } }

  /// Appends the time as `"2026-11-26T01:02:03.004Z"`. Years outside of 0 to 9999 have a sign and six digits.
  static func appendQuoted(_ milliseconds: Int64, to json: inout [UInt8]) {
    let (days, time) = milliseconds.quotientAndModulus(86_400_000)
    let date = civil(days)
    if (0...9999).contains(date.year) {
      append("\"", date.year, digits: 4, to: &json)
    } else {
      json.append(UInt8(ascii: "\""))
      append(date.year < 0 ? "-" : "+", abs(date.year), digits: 6, to: &json)
    }
    append("-", date.month, digits: 2, to: &json)
    append("-", date.day, digits: 2, to: &json)
    append("T", time / 3_600_000, digits: 2, to: &json)
    append(":", time / 60_000 % 60, digits: 2, to: &json)
    append(":", time / 1000 % 60, digits: 2, to: &json)
    append(".", time % 1000, digits: 3, to: &json)
    json += [UInt8(ascii: "Z"), UInt8(ascii: "\"")]
  }

  /// Appends a mark, and a number with leading zeros.
  private static func append(_ mark: Unicode.Scalar, _ number: Int64, digits: Int, to json: inout [UInt8]) {
    json.append(UInt8(ascii: mark))
    var power: Int64 = 1
    for _ in 1..<digits { power *= 10 }
    while power > 0 {
      json.append(UInt8(ascii: "0") + UInt8(number / power % 10))
      power /= 10
    }
  }

  /// The date in the Gregorian calendar. Years are counted from March 1 of the year 0, so that a leap day is the last day of a year.
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
  /// Division that rounds down, with a modulus that is not negative. The divisor must be positive.
  fileprivate func quotientAndModulus(_ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
