import Synchronization

/// Keeps writes from being made while a table of the database has a row.
///
/// Each transaction with writes that heed it shares the table until its COMMIT, and looks for a row first, which travels with its first
/// statement on PostgreSQL and is a look into the cache on SQLite. Whoever stops writes holds the table alone before they put a row into it. So once
/// that is committed, nothing that heeds it is committed after it, whichever process it is of.
final class WriteStop: Sendable {
  private let asked = Mutex<SQL?>(nil)

  /// What answers a row while writes are stopped; nil if nobody said so.
  var query: SQL? {
    get { asked.withLock(\.self) }
    set { asked.withLock { $0 = newValue } }
  }

  static let refusal = StorageError(.writesStopped, "writes are stopped")
}

extension Database {
  /// From now on writes that heed it are refused with `.writesStopped` while this table has a row.
  package func heedStop(in table: SQL) { source.stop.query = dialect.sharing(table: table) }

  /// For a write that heeds no stop: throws `.writesStopped` if writes are stopped, and keeps them from being stopped before its COMMIT.
  package func refuseIfStopped(in table: SQL, _ transaction: Transaction) throws {
    guard try transaction.first(dialect.sharing(table: table), { _ in true }) == nil else { throw WriteStop.refusal }
  }

  /// Waits in a write that heeds no stop until no write that does is under way; others begin after its COMMIT, if there is no row then.
  /// Throws `.serialization` if one has not ended after some tries: first short ones, for one that hangs holds up all others meanwhile.
  /// - Parameter began: When it was tried first.
  package func holdStop(
    in table: SQL, _ transaction: Transaction, triedSince began: ContinuousClock.Instant
  ) throws {
    let time: Duration = .now - began < .seconds(1) ? .milliseconds(300) : .seconds(2)
    for statement in dialect.holding(table: table, within: time) { try transaction.execute(statement) }
  }
}
