import CSQLite
import Foundation
import Logging

/// Limits the size of the write-ahead log. It is checkpointed from time to time (``SQLiteCheckpoint``), but SQLite restarts it only when no
/// reader needs it, and a long reader keeps it.
final class SQLiteLogLimit {
  /// How long the writer may pause for it, in milliseconds.
  private static let patience: CInt = 100
  private static let interval = Duration.seconds(10)

  private let path: String
  private let limit: Int
  private let logger: Logger
  private var next = ContinuousClock.now

  /// - Parameters:
  ///   - path: The path of the database.
  ///   - limit: The limit in bytes.
  init(path: String, limit: Int, _ logger: Logger) {
    self.path = path
    self.limit = limit
    self.logger = logger
  }

  /// Empties the log if it is larger than the limit, or logs a warning if that fails.
  ///
  /// - Parameter busyTimeout: The timeout to restore afterwards, in milliseconds.
  func enforce(on database: OpaquePointer, busyTimeout: CInt) {
    guard size > limit, .now >= next else { return }
    sqlite3_busy_timeout(database, Self.patience)
    defer { sqlite3_busy_timeout(database, busyTimeout) }
    guard sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil) != SQLITE_OK else { return }
    next = .now + Self.interval
    logger.warning(
      "the write-ahead log of SQLite is too long and cannot be emptied: a reader has been open too long, or the disk refuses writes",
      metadata: ["bytes": "\(size)", "limit": "\(limit)", "cause": "\(String(cString: sqlite3_errmsg(database)))"])
  }

  private var size: Int {
    var status = stat()
    return stat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
  }
}
