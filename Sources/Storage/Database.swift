import Logging

/// A database: writers that commit in groups, and readers beside them, each on its own thread.
package final class Database: Sendable {
  /// One queue for each writer.
  private let writes: [BlockingQueue<PendingWork>]
  /// The queue of `writeAside`; nil on SQLite.
  private let aside: BlockingQueue<PendingWork>?
  private let reads: BlockingQueue<PendingWork>
  private let writers: [DedicatedThread]
  private let readers: [DedicatedThread]
  let source: ConnectionSource
  /// Nil on SQLite.
  let locks: LockSession?
  private let counts: WriteCounts

  /// Transactions committed so far, writes in these transactions, and batches that ran again because one of their writes failed.
  package var writeCounts: (commits: Int, writes: Int, reruns: Int) { counts.now }

  package var dialect: Dialect { source.dialect }

  /// Operations that wait for a thread now.
  package var waiting: (writes: Int, reads: Int) {
    ((writes + (aside.map { [$0] } ?? [])).reduce(0) { $0 + $1.count }, reads.count)
  }

  /// Time spent in COMMIT so far, in seconds.
  package var commitSeconds: Double { counts.commitSeconds }

  /// How often a writing connection was opened on PostgreSQL. After each opening, the server may be one that took over without the last
  /// commits. The count rises before any commit over the new connection is reported.
  package var writersOpened: Int { source.writers.now }

  /// Opens the connections that are needed from the start. Throws `StorageError` if one cannot be opened.
  package init(_ configuration: DatabaseConfiguration, logger: Logger) async throws {
    let source = ConnectionSource(configuration, logger)
    let counts = WriteCounts()
    func queue(_ limit: Int) -> BlockingQueue<PendingWork> {
      BlockingQueue(limit: limit, busyLimit: configuration.waitLimit, gather: configuration.gatherWakeUps) {
        $0.isAbandoned()
      }
    }
    let isServer = source.dialect == .postgres
    let writes = (0..<(isServer ? max(1, configuration.writers) : 1)).map { _ in queue(configuration.writeQueueLimit) }
    let aside = isServer ? queue(configuration.writeQueueLimit) : nil
    let reads = queue(configuration.readQueueLimit)
    func worker(_ queue: BlockingQueue<PendingWork>, _ access: Access) -> Worker {
      Worker(
        queue: queue, access: access, configuration: configuration, source: source, logger: logger, counts: counts)
    }
    do {
      var writers = [try await worker(writes[0], .write).start(name: "db-writer-0")]
      for index in writes.indices.dropFirst() {
        writers.append(worker(writes[index], .write).startLater(name: "db-writer-\(index)"))
      }
      if let aside { writers.append(worker(aside, .write).startLater(name: "db-aside")) }
      var readers: [DedicatedThread] = []
      for index in 0..<max(1, configuration.readers) {
        readers.append(try await worker(reads, .read).start(name: "db-reader-\(index)"))
      }
      self.writers = writers
      self.readers = readers
    } catch {
      for queue in writes + [reads] { queue.close() }
      aside?.close()
      source.end()
      throw (error as? EngineFailure)?.cause ?? error
    }
    self.source = source
    locks = isServer ? LockSession(configuration, source, logger) : nil
    self.counts = counts
    self.writes = writes
    self.aside = aside
    self.reads = reads
  }

  deinit {
    for queue in writes + [reads] { queue.close() }
    aside?.close()
    source.end()
  }

  /// Runs the body in a transaction and returns when the transaction is durable. Several writes may share one COMMIT; an error thrown by a
  /// body undoes only its own changes.
  ///
  /// The body may run more than once (after a lost connection or a deadlock), so its only effects may be its statements and `afterCommit`.
  /// An error that it throws rolls it back and is rethrown unchanged. The engine's own errors are `StorageError`; of these only
  /// `.outcomeUnknown` leaves open whether the write was committed. A task that is cancelled before the write starts gets
  /// `CancellationError`; a write that has started completes. A transaction without changes is not committed, so a function that is called
  /// for its effect in a `SELECT` needs another kind of statement around it.
  ///
  /// - Parameters:
  ///   - key: The subject of the write. Writes of one key run, commit and run their `afterCommit` actions in the order in which they were
  ///     made. Writes of different keys run in parallel if the engine can. Writes without a key share one key.
  ///   - ignoresStop: Whether the write also runs while writes are stopped (``stopWrites(whileRowIn:)``). Otherwise it fails with
  ///     `.writesStopped` then.
  package nonisolated(nonsending) func write<Success: Sendable>(
    key: Int64? = nil, ignoresStop: Bool = false, _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    let queue = queue(of: key)
    return try await Ticket.wait { try queue.put(PendingWork($0, key: key, ignoresStop: ignoresStop, body)) }
  }

  /// The same for a write that is frequent: the statements that it awaits (``Transaction/pipelined(_:)``) travel together with those of
  /// other writes that wait, so that many writes cost PostgreSQL only a few round trips.
  ///
  /// At each `await` other writes of the batch may run, as in an actor: the body must not rely on data that it has read before, if pipelined
  /// writes change that data. Writes of one key pass each `await` in the order in which they were made, so what they change there is in the
  /// order of their `afterCommit` actions, however many statements each awaits. One line of code must await one kind of statement: what
  /// several writes await at one line travels together. The body may await nothing else. If a statement fails, the whole batch runs again,
  /// one write after the other.
  package nonisolated(nonsending) func pipelinedWrite<Success: Sendable>(
    key: Int64? = nil, ignoresStop: Bool = false,
    _ body: @escaping @Sendable (sending Transaction) async throws -> Success
  ) async throws -> Success {
    let queue = queue(of: key)
    return try await Ticket.wait { try queue.put(PendingWork($0, key: key, ignoresStop: ignoresStop, pipelined: body)) }
  }

  /// Runs a long write in the background. PostgreSQL uses a separate connection, so other writes do not wait behind it; SQLite has one
  /// writer.
  package func writeAside<Success: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    try await Ticket.wait { [queue = aside ?? writes[0]] in
      try queue.put(PendingWork($0, ignoresStop: false, body))
    }
  }

  /// Spreads keys evenly over the writers, also keys with a common pattern: the upper half of a product with an odd number depends on all
  /// bits of the key. If there are several writers, the first one takes only writes without a key, because their locks have no order.
  private func queue(of key: Int64?) -> BlockingQueue<PendingWork> {
    guard let key, writes.count > 1 else { return writes[0] }
    return writes[1 + Int((UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 32) % (writes.count - 1)]
  }

  /// Runs the body against one snapshot of the committed data. The body cannot write. Errors and cancellation are the same as with `write`.
  package nonisolated(nonsending) func read<Success: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    try await Ticket.wait { [reads] in try reads.put(PendingWork($0, body)) }
  }

  /// Throws unless a read and a durable write by each writer succeed. Changes no data.
  package func ping() async throws {
    let probe = dialect.writeProbe
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.read { _ = try $0.execute("SELECT 1") } }
      for queue in writes {
        group.addTask {
          try await Ticket.wait { ticket in
            try queue.put(PendingWork(ticket) { _ = try $0.execute(probe) })
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Completes waiting operations, refuses new ones (`.closed`), and closes the connections.
  package func close() async {
    reads.close()
    for reader in readers { await reader.join() }
    await locks?.close()
    // The last connection to close writes SQLite's log back into the file, and only the writer may.
    for queue in writes { queue.close() }
    aside?.close()
    for writer in writers { await writer.join() }
    source.end()
  }
}

extension Database {
  /// Opens a channel, which all processes on this database share by its name. The caller closes it. Nil on SQLite, which has one process
  /// only. Throws `StorageError(.other)` when the process has no file descriptor left.
  package func makeNotificationChannel(_ name: String) throws -> NotificationChannel? {
    try source.makeNotificationChannel(name)
  }
}
