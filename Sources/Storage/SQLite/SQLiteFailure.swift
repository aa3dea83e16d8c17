import CSQLite

extension EngineFailure {
  /// Maps a result code of SQLite: sqlite.org/rescode.html.
  init(sqlite code: CInt, _ database: OpaquePointer?, sql: String? = nil) {
    let message = String(cString: database.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
    // The name follows the colon. The kind of the constraint is in the code.
    let constraint = message.firstIndex(of: ":").map { message[$0...].dropFirst(2) }
    let kind = Self.kind(of: code)
    let names: Bool = [.unique, .check, .notNull].contains(kind)
    self.init(
      StorageError(kind, "SQLite \(code): \(message)", constraint: names ? constraint.map(String.init) : nil, sql: sql))
  }

  private static func kind(of code: CInt) -> StorageError.Code {
    switch code {
    // CONSTRAINT_UNIQUE, _PRIMARYKEY, _ROWID; macros that shift are not imported.
    case 19 | 8 << 8, 19 | 6 << 8, 19 | 10 << 8: return .unique
    case 19 | 3 << 8: return .foreignKey
    case 19 | 1 << 8: return .check
    case 19 | 5 << 8: return .notNull
    default: break
    }
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED: return .serialization
    case SQLITE_INTERRUPT: return .timeout
    case SQLITE_FULL: return .diskFull
    // The file was unavailable for a moment, or was replaced: a new connection checks again.
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_NOTADB: return .connectionLost
    case SQLITE_READONLY: return .readOnly
    case SQLITE_CORRUPT: return .damaged
    case SQLITE_ERROR: return .syntax
    default: return .other
    }
  }
}
