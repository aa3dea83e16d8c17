/// Dates on the wire: `yyyy-MM-ddTHH:mm:ss.SSSZ`, always 24 characters (wire contract, Dates).
public enum WireDate {
  /// The range of four-digit years, 0 to 9999, in milliseconds since 1970.
  static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// The label of `milliseconds` since 1970 UTC, in the local time of a zone `offset` milliseconds east. A date before the year 0 or after
  /// 9999 is clamped to the first or last moment of these years.
  public static func string(_ milliseconds: Int64, offset: Int64 = 0) -> String {
    let (sum, isBeyond) = milliseconds.addingReportingOverflow(offset)
    let nearest = isBeyond ? (offset > 0 ? Int64.max : .min) : sum
    let local = min(max(nearest, range.lowerBound), range.upperBound)
    let (days, inDay) = local.quotientAndRemainder(flooringBy: millisecondsPerDay)
    let (year, month, day) = civil(days)
    var out: [UInt8] = []
    out.reserveCapacity(24)
    func put(_ value: Int64, _ width: Int) {
      var divisor: Int64 = 1
      for _ in 1..<width { divisor *= 10 }
      while divisor > 0 {
        out.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
        divisor /= 10
      }
    }
    put(year, 4)
    out.append(UInt8(ascii: "-"))
    put(month, 2)
    out.append(UInt8(ascii: "-"))
    put(day, 2)
    out.append(UInt8(ascii: "T"))
    put(inDay / 3_600_000, 2)
    out.append(UInt8(ascii: ":"))
    put(inDay / 60_000 % 60, 2)
    out.append(UInt8(ascii: ":"))
    put(inDay / 1000 % 60, 2)
    out.append(UInt8(ascii: "."))
    put(inDay % 1000, 3)
    out.append(UInt8(ascii: "Z"))
    return String(decoding: out, as: UTF8.self)
  }

  /// A time in the form of the `Date` header (RFC 9110 section 5.6.7): `Mon, 05 Jan 2026 09:00:00 GMT`.
  public static func http(_ milliseconds: Int64) -> String {
    let label = string(milliseconds)
    let day = milliseconds.quotientAndRemainder(flooringBy: millisecondsPerDay).quotient
    let weekday = weekdays[Int((day + 4).quotientAndRemainder(flooringBy: 7).remainder)]
    let parts = label.split { "-T.".contains($0) }
    let month = months[(Int(parts[1]) ?? 1) - 1]
    return "\(weekday), \(parts[2]) \(month) \(parts[0]) \(parts[3]) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  public static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  static let millisecondsPerDay: Int64 = 86_400_000

  /// Days since 1970-01-01 of a proleptic Gregorian date (Hinnant's algorithm).
  static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let y = month <= 2 ? year - 1 : year
    let era = y.quotientAndRemainder(flooringBy: 400).quotient
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The inverse of ``days(_:_:_:)``.
  static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(flooringBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

extension Int64 {
  fileprivate func quotientAndRemainder(flooringBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (q, r) = quotientAndRemainder(dividingBy: divisor)
    return r < 0 ? (q - 1, r + divisor) : (q, r)
  }
}
