/// Identifies a prepared statement.
struct StatementKey: Hashable {
  let template: SQLTemplate
  /// PostgreSQL: the parameter types that the statement was prepared with. A null may have another declared type than a value.
  var types: [UInt32] = []
}

/// The prepared statements of a connection; the least recently used one makes room.
struct StatementCache<Statement> {
  private var entries: [StatementKey: (statement: Statement, used: UInt64)] = [:]
  private var clock: UInt64 = 0
  private let limit: Int

  init(limit: Int) {
    self.limit = max(1, limit)
    entries.reserveCapacity(limit)
  }

  var count: Int { entries.count }

  /// Finds a statement and marks it as used.
  mutating func use(_ key: StatementKey) -> Statement? {
    guard let index = entries.index(forKey: key) else { return nil }
    clock += 1
    entries.values[index].used = clock
    return entries.values[index].statement
  }

  /// Removes a statement.
  mutating func take(_ key: StatementKey) -> Statement? { entries.removeValue(forKey: key)?.statement }

  /// Stores a statement. Returns the one that it displaces: the least recently used, or an earlier one of the same key.
  mutating func keep(_ statement: Statement, for key: StatementKey) -> Statement? {
    clock += 1
    if let earlier = entries.updateValue((statement, clock), forKey: key) { return earlier.statement }
    guard entries.count > limit, let oldest = entries.min(by: { $0.value.used < $1.value.used }) else { return nil }
    entries.removeValue(forKey: oldest.key)
    return oldest.value.statement
  }

  mutating func removeAll() -> [Statement] {
    defer { entries.removeAll() }
    return entries.values.map(\.statement)
  }
}
