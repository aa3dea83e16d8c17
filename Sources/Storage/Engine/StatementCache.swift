/// The statements a connection has prepared, by text; the one unused for longest makes room.
struct StatementCache<Statement> {
  /// A statement's text. Texts are long, and are looked up with every statement: their lengths and ends tell most of them apart.
  private struct Key: Hashable {
    let text: String

    func hash(into hasher: inout Hasher) {
      hasher.combine(text.utf8.count)
      hasher.combine(text.utf8.suffix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }
  }

  private var entries: [Key: (statement: Statement, used: UInt64)] = [:]
  private var clock: UInt64 = 0
  private let limit: Int

  init(limit: Int) {
    self.limit = max(1, limit)
    entries.reserveCapacity(limit)
  }

  var count: Int { entries.count }

  /// Finds a statement and marks it as used.
  mutating func use(_ text: String) -> Statement? {
    guard let index = entries.index(forKey: Key(text: text)) else { return nil }
    clock += 1
    entries.values[index].used = clock
    return entries.values[index].statement
  }

  /// Takes a statement out, for as long as it is running.
  mutating func take(_ text: String) -> Statement? {
    entries.removeValue(forKey: Key(text: text))?.statement
  }

  /// Keeps a statement, and answers one that has to go: the least recently used, or an earlier one of the same text.
  mutating func keep(_ statement: Statement, for text: String) -> Statement? {
    clock += 1
    if let earlier = entries.updateValue((statement, clock), forKey: Key(text: text)) { return earlier.statement }
    guard entries.count > limit, let oldest = entries.min(by: { $0.value.used < $1.value.used }) else { return nil }
    entries.removeValue(forKey: oldest.key)
    return oldest.value.statement
  }

  mutating func removeAll() -> [Statement] {
    defer { entries.removeAll() }
    return entries.values.map(\.statement)
  }
}
