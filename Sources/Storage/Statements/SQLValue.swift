/// A value that both engines can hold. There is no binary type, because the engines differ in it: store text instead.
package enum SQLValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
}

/// The declared type of a parameter. PostgreSQL needs it for a null without context (`$1 IS NULL`), and for arithmetic (`$1 + 1` would
/// otherwise be a 32-bit sum).
package enum SQLType: Sendable, Hashable {
  case integer
  case real
  case text
  /// The engine infers the type from the context.
  case inferred
}

/// A Swift value that can be bound to a statement and read from a row.
package protocol SQLConvertible: Sendable {
  /// The declared type of a null; `.inferred` by default.
  static var sqlType: SQLType { get }
  var sqlValue: SQLValue { get }
  /// Nil when the value has another type or is out of range.
  init?(sqlValue: SQLValue)
}

extension SQLConvertible {
  package static var sqlType: SQLType { .inferred }
}

/// An enum or identifier with a convertible raw value only needs to declare the conformance.
extension SQLConvertible where Self: RawRepresentable, RawValue: SQLConvertible {
  package static var sqlType: SQLType { RawValue.sqlType }
  package var sqlValue: SQLValue { rawValue.sqlValue }
  package init?(sqlValue: SQLValue) {
    guard let raw = RawValue(sqlValue: sqlValue) else { return nil }
    self.init(rawValue: raw)
  }
}

extension Int64: SQLConvertible {
  package static var sqlType: SQLType { .integer }
  package var sqlValue: SQLValue { .integer(self) }
  package init?(sqlValue: SQLValue) {
    switch sqlValue {
    case .integer(let value): self = value
    // PostgreSQL's ROUND and FLOOR return a real where SQLite may return an integer.
    case .real(let value): self.init(exactly: value)
    case .null, .text: return nil
    }
  }
}

extension Int: SQLConvertible {
  package static var sqlType: SQLType { .integer }
  package var sqlValue: SQLValue { .integer(Int64(self)) }
  package init?(sqlValue: SQLValue) {
    guard let wide = Int64(sqlValue: sqlValue) else { return nil }
    self.init(exactly: wide)
  }
}

extension Double: SQLConvertible {
  package static var sqlType: SQLType { .real }
  package var sqlValue: SQLValue { .real(self) }
  package init?(sqlValue: SQLValue) {
    switch sqlValue {
    case .real(let value): self = value
    case .integer(let value): self.init(exactly: value)
    case .null, .text: return nil
    }
  }
}

/// Stored as 0 and 1: SQLite has no boolean.
extension Bool: SQLConvertible {
  package static var sqlType: SQLType { .integer }
  package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
  package init?(sqlValue: SQLValue) {
    switch sqlValue {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }
}

extension String: SQLConvertible {
  package static var sqlType: SQLType { .text }
  package var sqlValue: SQLValue { .text(self) }
  package init?(sqlValue: SQLValue) {
    guard case .text(let value) = sqlValue else { return nil }
    self = value
  }
}
