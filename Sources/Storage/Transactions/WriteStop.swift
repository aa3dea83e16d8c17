import Synchronization

/// Stops writes while a table of the database has a row.
///
/// Each transaction with a write that obeys the stop shares the table until its COMMIT, and first queries it for a row. On PostgreSQL the
/// query travels with the first statement; on SQLite it reads the cache. To stop writes, a transaction holds the table alone and inserts a
/// row. So once that transaction is committed, no process commits a write that obeys the stop.
final class WriteStop: Sendable {
  private let asked = Mutex<SQL?>(nil)

  /// The query that returns a row while writes are stopped; nil if no table was set.
  var query: SQL? {
    get { asked.withLock(\.self) }
    set { asked.withLock { $0 = newValue } }
  }

  static let refusal = StorageError(.writesStopped, "writes are stopped")
}
