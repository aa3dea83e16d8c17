import CSQLite

/// Brings what is in the write-ahead log into the file, now and then: a page that many commits have written is written once for all of them.
///
/// SQLite would do it within a COMMIT, whose answer then waited for it: seconds on a slow disk. Here it is done when the answers are given.
final class SQLiteCheckpoint {
  /// Bytes of a page in the log: its own and its header.
  private static let pageBytes = 4096 + 24

  private let limit: CInt
  /// How many the log has had since it was begun anew.
  private var pages: CInt = 0

  init(_ configuration: DatabaseConfiguration) {
    limit = CInt(clamping: min(configuration.checkpointPages, configuration.walLimit / 2 / Self.pageBytes))
  }

  /// Has the connection tell of its commits, which takes the place of checkpoints of SQLite's own. This must live as long as it.
  func watch(_ database: OpaquePointer) {
    sqlite3_wal_hook(
      database,
      { checkpoint, _, _, pages in
        if let checkpoint { Unmanaged<SQLiteCheckpoint>.fromOpaque(checkpoint).takeUnretainedValue().pages = pages }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Brings all of the log into the file and empties it, unless a reader keeps it.
  /// - Parameter busyTimeout: In milliseconds, what to set again.
  func runAtOnce(on database: OpaquePointer, busyTimeout: CInt) {
    sqlite3_busy_timeout(database, 100)
    defer { sqlite3_busy_timeout(database, busyTimeout) }
    sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    pages = 0
  }

  /// Waits for nobody: what readers still need stays in the log until the next time.
  func runIfDue(on database: OpaquePointer) {
    guard pages >= limit else { return }
    pages = 0
    sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
}
