import Storage

/// The tables whose rows are locked.
enum LockedTable {
  case rooms, users, workspaces

  /// With the letter that conditions have for a row.
  fileprivate var name: SQL {
    switch self {
    case .rooms: "rooms AS r"
    case .users: "users AS u"
    case .workspaces: "workspaces AS w"
    }
  }

  /// One that is in no index: SQLite writes anew each index that has a column of an UPDATE.
  fileprivate var column: SQL {
    switch self {
    case .rooms: "cleared_seq"
    case .users: "coins"
    case .workspaces: "file_limit"
    }
  }
}

extension Transaction {
  /// Locks rows until COMMIT and answers how many: other transactions that change or lock them wait, and then see what this one
  /// has committed.
  ///
  /// It is an UPDATE that changes no value, which PostgreSQL locks rows for like for any other. SQLite, whose only writer has the
  /// whole database, knows no `SELECT ... FOR UPDATE`. As an UPDATE it counts as a change, too: when a write is refused after it, the
  /// others of its batch run again, and do not keep its locks.
  @discardableResult
  func lock(_ table: LockedTable, where condition: SQL) throws -> Int {
    try execute(
      "UPDATE \(sql: table.name) SET \(sql: table.column) = \(sql: table.column) WHERE \(sql: condition)")
  }

  /// Locks the account's row until COMMIT.
  func lock(user id: Int64) throws { try lock(.users, where: "u.id = \(id)") }

  /// Locks the workspace's row until COMMIT.
  func lock(workspace id: Int64) throws { try lock(.workspaces, where: "w.id = \(id)") }
}
