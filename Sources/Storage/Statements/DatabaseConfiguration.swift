/// Runs `wake`, which wakes waiting threads, now or soon, on the calling thread. A thread that is about to queue more work can defer
/// `wake`, so that the sleeping threads are woken once for all of it.
package typealias WakeUpGathering = @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void

/// The location of the data, and all limits of the storage.
package struct DatabaseConfiguration: Sendable {
  package enum Engine: Sendable, Hashable {
    /// A file, created if absent; its folder must exist.
    case sqlite(path: String)
    /// A temporary file that is not flushed and is removed on close. Unlike a database in memory, it can be read concurrently.
    case sqliteTemporary
    /// A libpq connection URL, with options such as `sslmode` as query items. If it names several hosts, the first that accepts writes is
    /// used, unless `target_session_attrs` says otherwise.
    case postgres(url: String)
  }

  package var engine: Engine
  /// Reading connections, each with its own thread. At least one.
  package var readers = 4
  /// PostgreSQL: writing connections, each with its own thread. At least one. The first is opened at the start, the others when they are
  /// needed, and one more for `writeAside`. SQLite always has one.
  package var writers = 4
  /// A write fails with `.overloaded` if this many already wait for its writer.
  package var writeQueueLimit = 4096
  /// A read fails with `.overloaded` if this many reads already wait.
  package var readQueueLimit = 4096
  /// The most writes that share one COMMIT.
  package var batchLimit = 128
  /// The most reads that share one snapshot. They share the cost of one transaction, but a slow read delays those behind it.
  package var readBatchLimit = 8
  /// How waiting threads are woken; nil wakes them at once.
  package var gatherWakeUps: WakeUpGathering?
  /// Prepared statements kept by each connection.
  package var statementCacheLimit = 256
  /// How often a read or write runs again after a serialization failure, a deadlock, a lock timeout or a lost connection.
  package var retryLimit = 5
  /// The pause before the first of these retries; it doubles, with jitter.
  package var retryBackoff = Duration.milliseconds(5)
  /// Time limit for opening one connection. PostgreSQL counts whole seconds, at least two, for each host in the URL. The same limit applies
  /// to each answer on the connection for notifications.
  package var connectTimeout = Duration.seconds(5)
  /// How long an operation may wait before it starts, or starts again: behind other operations, or for a lost connection. After that it
  /// fails with `.connectionLost`. A writer that has been busy with one batch for this long refuses new writes at once.
  ///
  /// A caller that gets no answer checks whether its write is there, and repeats it if not. So a write must not start after that check:
  /// this limit must be less than the caller's wait (in `MadangClient`: `callTimeout` and `settleTime`).
  package var waitLimit = usualWaitLimit
  package static let usualWaitLimit = Duration.seconds(6)
  /// The first pause between attempts to reconnect; it doubles, with jitter, up to `reconnectBackoffMax`.
  package var reconnectBackoffMin = Duration.milliseconds(50)
  package var reconnectBackoffMax = Duration.seconds(5)
  /// Time limit for one statement. Zero means no limit. Migrations are exempt.
  package var statementTimeout = Duration.seconds(30)
  /// PostgreSQL: how long a statement waits for a lock before its transaction runs again. Zero means no limit. Migrations are exempt.
  package var lockTimeout = Duration.seconds(5)
  /// PostgreSQL: how long a transaction may be idle before the server ends it and releases its rows, for instance because this process was
  /// suspended or lost its network. Zero means no limit.
  package var idleTransactionTimeout = Duration.seconds(30)
  /// PostgreSQL: the extra time beyond `statementTimeout` for the answer to one statement, or to up to 16 statements that are sent
  /// together. If the answer has still not arrived, the connection is dropped, and the work fails with `.connectionLost` or runs again over
  /// another connection.
  package var answerGrace = Duration.seconds(5)
  /// PostgreSQL: how long a COMMIT may take (for instance because no replica confirms it) before its writes fail with `.outcomeUnknown`.
  /// The connection keeps waiting, and the writer refuses new writes, until the answer arrives or a new connection finds that the server no
  /// longer has this session. PostgreSQL does not apply `statementTimeout` to this wait.
  package var commitTimeout = Duration.seconds(10)
  /// PostgreSQL: how often a new connection checks whether the server still has the session of an unanswered COMMIT.
  package var commitCheckInterval = Duration.seconds(5)
  /// PostgreSQL: after this much silence, the connection for notifications checks that the server still answers.
  package var listenerCheckInterval = Duration.seconds(30)
  /// SQLite: how long to wait for another process that locks the file.
  package var busyTimeout = Duration.seconds(5)
  /// SQLite: page cache of each connection, in bytes.
  package var cacheBytes = 16 << 20
  /// SQLite: the number of pages in the write-ahead log (4 KiB each) that triggers a checkpoint. If half of `walLimit` is fewer pages, that
  /// number applies.
  package var checkpointPages = 4000
  /// SQLite: the size of the write-ahead log, in bytes, above which the writer empties it as soon as readers allow.
  package var walLimit = 64 << 20

  package init(_ engine: Engine) {
    self.engine = engine
  }
}

extension DatabaseConfiguration {
  /// `connectTimeout` in PostgreSQL's unit.
  var connectSeconds: Int64 { max(2, connectTimeout.milliseconds / 1000) }

  /// PostgreSQL: how long the answer to a statement may take; nil means no limit.
  var answerLimit: Duration? { statementTimeout > .zero ? statementTimeout + answerGrace : nil }
}

extension Duration {
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
