import CSQLite

/// Checkpoints the write-ahead log from time to time: a page that many commits changed is written to the file once.
///
/// SQLite would checkpoint within a COMMIT and delay its answer, by seconds on a slow disk. Here it happens after the answers are
/// delivered.
final class SQLiteCheckpoint {
  /// Bytes of a page in the log, with its header.
  private static let pageBytes = 4096 + 24

  private let limit: CInt
  /// Pages in the log since it was last restarted.
  private var pages: CInt = 0

  init(_ configuration: DatabaseConfiguration) {
    limit = CInt(clamping: min(configuration.checkpointPages, configuration.walLimit / 2 / Self.pageBytes))
  }

  /// Registers for the connection's commits, which replaces SQLite's own checkpoints. This object must outlive the connection.
  func watch(_ database: OpaquePointer) {
    sqlite3_wal_hook(
      database,
      { checkpoint, _, _, pages in
        if let checkpoint { Unmanaged<SQLiteCheckpoint>.fromOpaque(checkpoint).takeUnretainedValue().pages = pages }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Checkpoints the whole log and empties it, unless a reader still needs it.
  /// - Parameter busyTimeout: The timeout to restore afterwards, in milliseconds.
  func runAtOnce(on database: OpaquePointer, busyTimeout: CInt) {
    sqlite3_busy_timeout(database, 100)
    defer { sqlite3_busy_timeout(database, busyTimeout) }
    sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    pages = 0
  }

  /// Checkpoints without waiting: pages that readers still need stay in the log until the next time.
  func runIfDue(on database: OpaquePointer) {
    guard pages >= limit else { return }
    pages = 0
    sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
}
