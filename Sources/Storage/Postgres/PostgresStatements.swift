/// Which statements a connection has prepared, and which of them are to be freed.
struct PostgresStatements {
  private var names: StatementCache<String>
  private var prepared = 0
  private var garbage: [String] = []

  init(limit: Int) {
    names = StatementCache(limit: limit)
  }

  mutating func name(of key: StatementKey) -> String? { names.use(key) }

  /// A name for one that is about to be prepared.
  mutating func add(_ key: StatementKey) -> String {
    prepared += 1
    let name = "s\(prepared)"
    if let evicted = names.keep(name, for: key) { garbage.append(evicted) }
    return name
  }

  /// It was not prepared after all.
  mutating func forget(_ key: StatementKey) { _ = names.take(key) }

  /// It is of no use any more.
  mutating func drop(_ key: StatementKey) {
    if let name = names.take(key) { garbage.append(name) }
  }

  /// It was not freed.
  mutating func keepAsGarbage(_ name: String) { garbage.append(name) }

  /// Those to be freed.
  mutating func takeGarbage() -> [String] {
    defer { garbage = [] }
    return garbage
  }
}
