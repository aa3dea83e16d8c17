/// What a prepared statement is known by.
struct StatementKey: Hashable {
  let template: SQLTemplate
  /// PostgreSQL: with which types of parameters it was prepared; a null may be declared otherwise than a value.
  var types: [UInt32] = []
}

/// The statements a connection has prepared; the one unused for longest makes room.
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

  /// Takes a statement out for good.
  mutating func take(_ key: StatementKey) -> Statement? { entries.removeValue(forKey: key)?.statement }

  /// Keeps a statement, and answers one that has to go: the least recently used, or an earlier one of the same key.
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
