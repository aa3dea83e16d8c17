import CPostgres

extension EngineFailure {
  /// Maps an error result by its SQLSTATE (PostgreSQL documentation, appendix A).
  init(postgres result: OpaquePointer, sql: String?) {
    func field(_ code: Character) -> String? {
      code.asciiValue.flatMap { PQresultErrorField(result, CInt($0)) }.map { String(cString: $0) }
    }
    // PG_DIAG_SQLSTATE, _MESSAGE_PRIMARY, _CONSTRAINT_NAME, _COLUMN_NAME, _SOURCE_FUNCTION; character macros are not imported.
    let state = field("C") ?? ""
    let message = field("M") ?? String(cString: PQresultErrorMessage(result))
    // A migration or a pooler has invalidated a prepared statement: drop it, and prepare it again on the next attempt.
    let isStale = state == "26000" || (state == "0A000" && field("R") == "RevalidateCachedQuery")
    let kind = isStale ? .serialization : Self.kind(of: state)
    self.init(
      StorageError(
        kind, "PostgreSQL \(state): \(message)", cure: PostgresRights.cure(of: state, message),
        constraint: field("n") ?? (kind == .notNull ? field("c") : nil),
        sql: sql))
  }

  private static func kind(of state: String) -> StorageError.Code {
    switch state {
    case "23505": return .unique
    case "23503": return .foreignKey
    case "23514": return .check
    case "23502": return .notNull
    // lock_not_available: the lock was not granted in time; a retry may get it.
    case "55P03": return .serialization
    case "57014": return .timeout
    case "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04": return .connectionLost
    case "53100": return .diskFull
    case "25006": return .readOnly
    case "22021": return .encoding
    default: break
    }
    switch state.prefix(2) {
    case "": return .connectionLost
    case "08": return .connectionLost
    case "40": return .serialization
    case "42": return .syntax
    default: return .other
    }
  }
}
