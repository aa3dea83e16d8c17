/// Runs something soon on the thread that calls, or at once: what wakes threads that wait for work. A thread that is about to hand over
/// more work puts it off until then, so that they are woken once for all of it, and find it together.
package typealias WakeUpGathering = @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void

/// Where the data is, and every limit of the storage.
package struct DatabaseConfiguration: Sendable {
  package enum Engine: Sendable, Hashable {
    /// A file, made when absent; its folder must exist.
    case sqlite(path: String)
    /// A temporary file without flushing, removed on close: gone with the process, yet readable concurrently.
    case sqliteTemporary
    /// A libpq connection URL; `sslmode` and the like are its query items. Of several hosts the first that takes writes
    /// is used, unless `target_session_attrs` says otherwise.
    case postgres(url: String)
  }

  package var engine: Engine
  /// Connections that read, each with a thread. At least one.
  package var readers = 4
  /// PostgreSQL: connections that write, each with a thread. At least one; all but the first are opened when they are
  /// needed, and one more for what is cleared up. SQLite always has one.
  package var writers = 4
  /// Waiting writes of one writer beyond which a write fails with `.overloaded`.
  package var writeQueueLimit = 4096
  /// Waiting reads beyond which a read fails with `.overloaded`.
  package var readQueueLimit = 4096
  /// The most writes that share one COMMIT.
  package var batchLimit = 128
  /// The most reads that share one snapshot. They begin and end a transaction once; a slow one holds up those behind it.
  package var readBatchLimit = 8
  /// How threads that wait for work are woken; nil at once.
  package var gatherWakeUps: WakeUpGathering?
  /// Prepared statements kept by each connection.
  package var statementCacheLimit = 256
  /// How often a write or a read is run again after a serialization failure, a deadlock, a lock that was not to be had
  /// or a lost connection.
  package var retryLimit = 5
  /// The pause before the first of these retries; it doubles, with jitter.
  package var retryBackoff = Duration.milliseconds(5)
  /// For opening one connection. PostgreSQL counts in whole seconds, at least two, for each host that the URL names; it has
  /// as long for each answer to the connection that carries notifications.
  package var connectTimeout = Duration.seconds(5)
  /// How long an operation may wait until it begins, or begins again: behind others, or for a lost connection. Then it
  /// fails with `.connectionLost`. A writer that has been busy with one batch for so long refuses new writes at once.
  ///
  /// Callers that get no answer look whether their write is there, and make it again. So a write must not begin after
  /// they have looked: this is less than the time after which they do so (of `MadangClient` `callTimeout` and `settleTime`).
  package var waitLimit = Duration.seconds(6)
  /// The first pause between attempts to reconnect; it doubles, with jitter, up to `reconnectBackoffMax`.
  package var reconnectBackoffMin = Duration.milliseconds(50)
  package var reconnectBackoffMax = Duration.seconds(5)
  /// Zero for none. Migrations are exempt.
  package var statementTimeout = Duration.seconds(30)
  /// PostgreSQL: how long a statement waits for a lock before its transaction is run again. Zero for any time.
  /// Migrations are exempt.
  package var lockTimeout = Duration.seconds(5)
  /// PostgreSQL: how long a transaction may stand still before the server ends it and lets its rows go: this process may be
  /// halted or cut off. Zero for any time.
  package var idleTransactionTimeout = Duration.seconds(30)
  /// PostgreSQL: how much longer than `statementTimeout` the answer to a statement may take, or the answers to up to 16 that are sent together.
  /// A server that has not ended them by then is left, and the work fails with `.connectionLost` or is run again over another connection.
  package var answerGrace = Duration.seconds(5)
  /// PostgreSQL: how long a COMMIT may take, for instance because no replica confirms it, before its writes fail with
  /// `.outcomeUnknown`. The connection goes on waiting, and the writer refuses what comes, until the answer comes or a
  /// new connection finds that this one waits in vain. PostgreSQL applies `statementTimeout` to no such wait.
  package var commitTimeout = Duration.seconds(10)
  /// PostgreSQL: how often a new connection looks whether a COMMIT is waited for in vain.
  package var commitCheckInterval = Duration.seconds(5)
  /// PostgreSQL: after so long without a word the connection that listens asks whether the server still answers.
  package var listenerCheckInterval = Duration.seconds(30)
  /// SQLite: how long to wait for another process that holds the file.
  package var busyTimeout = Duration.seconds(5)
  /// SQLite: page cache of each connection, in bytes.
  package var cacheBytes = 16 << 20
  /// SQLite: the pages in the write-ahead log, of 4 KiB each, after which they are brought into the file; half of those of
  /// `walLimit` if they are fewer.
  package var checkpointPages = 4000
  /// SQLite: the size of the write-ahead log, in bytes, beyond which the writer empties it as soon as readers let it.
  package var walLimit = 64 << 20

  package init(_ engine: Engine) {
    self.engine = engine
  }
}

extension DatabaseConfiguration {
  /// `connectTimeout` as PostgreSQL takes it.
  var connectSeconds: Int64 { max(2, connectTimeout.milliseconds / 1000) }

  /// PostgreSQL: how long the answer to a statement may take; nil for any time.
  var answerLimit: Duration? { statementTimeout > .zero ? statementTimeout + answerGrace : nil }
}

extension Duration {
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
