import Storage

/// The tables whose rows can be locked.
enum LockedTable {
  case rooms, users, workspaces

  /// The table with the alias that conditions use.
  fileprivate var name: SQL {
    switch self {
    case .rooms: "rooms AS r"
    case .users: "users AS u"
    case .workspaces: "workspaces AS w"
    }
  }

  /// A column without an index: SQLite rewrites each index that contains a column of an UPDATE.
  fileprivate var column: SQL {
    switch self {
    case .rooms: "cleared_seq"
    case .users: "coins"
    case .workspaces: "file_limit"
    }
  }
}

extension Transaction {
  /// Locks rows until COMMIT and returns how many. Other transactions that change or lock them wait, and then see what this one has
  /// committed.
  ///
  /// Implemented as an UPDATE that changes no value: PostgreSQL locks the rows as for any UPDATE, and SQLite has no `SELECT ... FOR
  /// UPDATE`, because its single writer locks the whole database. The UPDATE also counts as a change: if a write is refused after it, the
  /// other writes of its batch run again and do not keep its locks.
  @discardableResult
  func lock(_ table: LockedTable, where condition: SQL) throws -> Int {
    try execute(
      "UPDATE \(sql: table.name) SET \(sql: table.column) = \(sql: table.column) WHERE \(sql: condition)")
  }

  func lock(user id: Int64) throws { try lock(.users, where: "u.id = \(id)") }

  func lock(workspace id: Int64) throws { try lock(.workspaces, where: "w.id = \(id)") }
}
