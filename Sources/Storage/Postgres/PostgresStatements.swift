/// The statements that a connection has prepared, and the names that must be freed.
struct PostgresStatements {
  private var names: StatementCache<String>
  private var prepared = 0
  private var garbage: [String] = []

  init(limit: Int) {
    names = StatementCache(limit: limit)
  }

  mutating func name(of key: StatementKey) -> String? { names.use(key) }

  /// Returns a name for a statement that is about to be prepared.
  mutating func add(_ key: StatementKey) -> String {
    prepared += 1
    let name = "s\(prepared)"
    if let evicted = names.keep(name, for: key) { garbage.append(evicted) }
    return name
  }

  /// Removes a statement whose preparation failed.
  mutating func forget(_ key: StatementKey) { _ = names.take(key) }

  /// Removes a statement that can no longer be used, and marks it to be freed.
  mutating func drop(_ key: StatementKey) {
    if let name = names.take(key) { garbage.append(name) }
  }

  /// Marks a statement again whose deallocation failed.
  mutating func keepAsGarbage(_ name: String) { garbage.append(name) }

  /// Returns the names to free, and forgets them.
  mutating func takeGarbage() -> [String] {
    defer { garbage = [] }
    return garbage
  }
}
