import Storage

extension Transaction {
  /// The only row of a statement that always returns one, such as an INSERT with `SQL.returningID`.
  func one<T>(_ sql: SQL, _ decode: (Row) throws -> T) throws -> T {
    guard let row = try first(sql, decode) else { throw UnexpectedlyEmpty() }
    return row
  }
}

/// A statement that must return a row returned none: a bug in this program, not an error of the caller.
struct UnexpectedlyEmpty: Error {}
