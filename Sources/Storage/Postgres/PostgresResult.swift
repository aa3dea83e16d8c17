import CPostgres

/// A result of libpq, cleared when it is released.
final class PostgresResult {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    PQclear(handle)
  }

  /// `COMMIT`, `UPDATE 3`, ...
  var command: String { String(cString: PQcmdStatus(handle)) }

  var changes: Int {
    let command = command
    guard !command.hasPrefix("SELECT") else { return 0 }
    return Int(String(cString: PQcmdTuples(handle))) ?? 0
  }

  /// False for `UPDATE 0` and `SELECT 1`, which changed nothing; true for `CREATE TABLE`, which may have.
  var hasChanged: Bool {
    !command.hasPrefix("SELECT") && String(cString: PQcmdTuples(handle)) != "0"
  }

  func forEachRow(_ body: (Row) throws -> Bool) rethrows {
    let count = PQnfields(handle)
    let columns = ColumnNames((0..<count).map { String(cString: PQfname(handle, $0)) })
    let types = (0..<count).map { PQftype(handle, $0) }
    for row in 0..<PQntuples(handle) {
      let values = (0..<count).map { value(row, $0, types[Int($0)]) }
      guard try body(Row(columns: columns, values: values)) else { return }
    }
  }

  var rows: [Row] {
    var rows: [Row] = []
    forEachRow { row in
      rows.append(row)
      return true
    }
    return rows
  }

  private func value(_ row: CInt, _ column: CInt, _ type: Oid) -> SQLValue {
    if PQgetisnull(handle, row, column) == 1 { return .null }
    let text = String(cString: PQgetvalue(handle, row, column))
    switch type {
    // bool
    case 16: return .integer(text == "t" ? 1 : 0)
    // int8, int2, int4, oid, and numeric, which is the type of SUM over int8
    case 20, 21, 23, 26, 1700:
      return Int64(text).map(SQLValue.integer) ?? Double(text).map(SQLValue.real) ?? .text(text)
    // float4, float8
    case 700, 701: return Double(text).map(SQLValue.real) ?? .text(text)
    default: return .text(text)
    }
  }
}
