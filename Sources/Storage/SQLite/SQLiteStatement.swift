import CSQLite

/// A compiled statement. Its owner finalizes it.
final class SQLiteStatement {
  let handle: OpaquePointer
  /// Whether a caller is reading its rows.
  var isRunning = true
  /// Whether it stays in the cache after it has run.
  var isKept = false
  let columns: ColumnNames
  /// Whether it may make changes that `sqlite3_total_changes` does not count, such as to the schema.
  let changesMoreThanRows: Bool
  /// Whether it returns the `id` of the row that it inserts.
  let returnsID: Bool

  init(handle: OpaquePointer, text: String, returnsID: Bool) {
    (self.handle, self.returnsID) = (handle, returnsID)
    let changesRows = ["INSERT", "UPDATE", "DELETE", "WITH"].contains { text.hasPrefix($0) }
    changesMoreThanRows = !changesRows && sqlite3_stmt_readonly(handle) == 0
    columns = ColumnNames(
      (0..<sqlite3_column_count(handle)).map { String(cString: sqlite3_column_name(handle, $0)) })
  }

  /// Binds all parameters; SQLite numbers them in order of appearance, as `SQL` does. Returns a result code.
  func bind(_ parameters: [SQL.Parameter]) -> CInt {
    for (index, parameter) in parameters.enumerated() {
      let position = CInt(index + 1)
      let code =
        switch parameter.value {
        case .null: sqlite3_bind_null(handle, position)
        case .integer(let value): sqlite3_bind_int64(handle, position, value)
        case .real(let value): sqlite3_bind_double(handle, position, value)
        case .text(var value):
          value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
              sqlite3_bind_text64(
                handle, position, characters.baseAddress, UInt64(characters.count), Self.transient, UInt8(SQLITE_UTF8))
            }
          }
        }
      guard code == SQLITE_OK else { return code }
    }
    return SQLITE_OK
  }

  var row: Row {
    Row(columns: columns, values: (0..<CInt(columns.names.count)).map(value))
  }

  private func value(at column: CInt) -> SQLValue {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_NULL: return .null
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
    default:
      guard let bytes = sqlite3_column_text(handle, column) else { return .text("") }
      let count = Int(sqlite3_column_bytes(handle, column))
      return .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
    }
  }

  /// Makes SQLite copy the text, which is valid only during the call: sqlite.org/c3ref/c_static.html.
  private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

extension Row {
  private static let id = ColumnNames(["id"])

  /// The row of an INSERT that ends with ``SQL/returningID``.
  static func ofID(_ number: Int64) -> Row { Row(columns: id, values: [.integer(number)]) }
}
