/// Cursors of history and unread counts, parsed as labels (wire contract, Cursors).
///
/// A label is a chat's date in the form of this edition, parsed as if it were UTC. Comparing labels makes every client's round trip exact
/// in any time zone of the edition.
public enum Cursor {
  public struct Unreadable: Error {}

  /// The label of a cursor, in milliseconds; nil if the value is absent or blank.
  /// - Parameter zoneless: The offset for a value without time zone, in milliseconds east of UTC.
  /// - Throws: ``Unreadable`` if the value has none of the forms of the contract.
  public static func label(_ value: String?, zoneless: Int64) throws(Unreadable) -> Int64? {
    guard let value else { return nil }
    var scanner = Scanner(value.utf8.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") })
    scanner.trimBlanks()
    if scanner.isAtEnd { return nil }
    let year = try scanner.number(4)
    try scanner.one(of: "-")
    let month = try scanner.number(2, in: 1...12)
    try scanner.one(of: "-")
    let day = try scanner.number(2, in: 1...31)
    try scanner.one(of: "Tt +")
    let hour = try scanner.number(2, in: 0...23)
    try scanner.one(of: ":")
    let minute = try scanner.number(2, in: 0...59)
    try scanner.one(of: ":")
    let second = try scanner.number(2, in: 0...59)
    let fraction = try scanner.fraction()
    let days = WireDate.days(year, month, day)
    guard WireDate.civil(days) == (year, month, day) else { throw Unreadable() }
    let digits =
      days * WireDate.millisecondsPerDay + hour * 3_600_000 + minute * 60_000 + second * 1000 + fraction
    return digits - (try scanner.offset() ?? zoneless)
  }

  private struct Scanner {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func trimBlanks() {
      rest = rest.drop { $0 == UInt8(ascii: " ") }
      while rest.last == UInt8(ascii: " ") { rest.removeLast() }
    }

    mutating func one(of characters: StaticString) throws(Unreadable) {
      guard let byte = rest.first, characters.contains(byte) else { throw Unreadable() }
      rest.removeFirst()
    }

    mutating func number(_ width: Int, in range: ClosedRange<Int64> = 0...9999) throws(Unreadable) -> Int64 {
      var value: Int64 = 0
      for _ in 0..<width {
        guard let digit = rest.first.flatMap(digitValue) else { throw Unreadable() }
        value = value * 10 + digit
        rest.removeFirst()
      }
      guard range.contains(value) else { throw Unreadable() }
      return value
    }

    /// Milliseconds of an optional `.` and 1 to 9 digits; digits after the third are ignored.
    mutating func fraction() throws(Unreadable) -> Int64 {
      guard rest.first == UInt8(ascii: ".") else { return 0 }
      rest.removeFirst()
      var value: Int64 = 0
      var count = 0
      while let digit = rest.first.flatMap(digitValue) {
        if count < 3 { value = value * 10 + digit }
        count += 1
        rest.removeFirst()
      }
      guard (1...9).contains(count) else { throw Unreadable() }
      for _ in min(count, 3)..<3 { value *= 10 }
      return value
    }

    /// The offset at the end of the value; nil without time zone. A `+` that a query decoded to a blank counts as `+`.
    mutating func offset() throws(Unreadable) -> Int64? {
      guard let sign = rest.popFirst() else { return nil }
      if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") {
        guard isAtEnd else { throw Unreadable() }
        return 0
      }
      guard ("+ -" as StaticString).contains(sign) else { throw Unreadable() }
      let hours = try number(2, in: 0...23)
      var minutes: Int64 = 0
      if !isAtEnd {
        if rest.first == UInt8(ascii: ":") { rest.removeFirst() }
        minutes = try number(2, in: 0...59)
      }
      guard isAtEnd else { throw Unreadable() }
      let offset = hours * 3_600_000 + minutes * 60_000
      return sign == UInt8(ascii: "-") ? -offset : offset
    }

    private func digitValue(_ byte: UInt8) -> Int64? {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int64(byte - UInt8(ascii: "0")) : nil
    }
  }
}

extension StaticString {
  fileprivate func contains(_ byte: UInt8) -> Bool { withUTF8Buffer { $0.contains(byte) } }
}
