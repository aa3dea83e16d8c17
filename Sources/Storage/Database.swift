import Logging

/// A database: writers that commit in groups, and readers beside them, each on a thread of its own.
package final class Database: Sendable {
  /// One for each writer.
  private let writes: [BlockingQueue<PendingWork>]
  /// For the one that writes aside; nil on SQLite.
  private let aside: BlockingQueue<PendingWork>?
  private let reads: BlockingQueue<PendingWork>
  private let writers: [DedicatedThread]
  private let readers: [DedicatedThread]
  let source: ConnectionSource
  /// Nil on SQLite.
  let locks: LockSession?
  private let counts: WriteCounts

  /// How many transactions were committed so far, how many writes they carried, and how often several writes were run
  /// again because one of them had failed.
  package var writeCounts: (commits: Int, writes: Int, reruns: Int) { counts.now }

  package var dialect: Dialect { source.dialect }

  /// How much work waits for its turn at the moment.
  package var waiting: (writes: Int, reads: Int) {
    ((writes + (aside.map { [$0] } ?? [])).reduce(0) { $0 + $1.count }, reads.count)
  }

  /// Seconds that all COMMITs took together.
  package var commitSeconds: Double { counts.commitSeconds }

  /// How often a connection that writes was opened, on PostgreSQL. Each may lead to a database that took over without the
  /// last commits; whoever is told of a commit sees that its connection was opened.
  package var writersOpened: Int { source.writers.now }

  /// Opens the connections that are needed at once; throws `StorageError` when one cannot be opened.
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

  /// Runs the body in a transaction and returns when it is durable. Others may share that transaction's COMMIT; what one
  /// of them throws undoes its own changes only.
  ///
  /// The body may run more than once (after a lost connection or a deadlock), so it must have no other effects than its
  /// statements and `afterCommit`. What it throws rolls it back and arrives unchanged; the engine's own errors are
  /// `StorageError`. Of these only `.outcomeUnknown` leaves open whether it was committed. Cancelled before it starts it
  /// throws `CancellationError`; once started it completes. What nothing was changed in is not committed: a function that
  /// a `SELECT` calls for its effect needs another statement around it.
  ///
  /// - Parameter key: What the write is about. Writes of one key are run, committed and announced in the order in which
  ///   they were made; those of different keys beside each other where the engine can do it. Those without a key count as
  ///   being of one.
  /// - Parameter heedsStop: Whether it is refused with `.writesStopped` while writes are stopped (``heedStop(in:)``).
  package nonisolated(nonsending) func write<Success: Sendable>(
    key: Int64? = nil, heedsStop: Bool = true, _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    try await write(key: key, heedsStop: heedsStop, .body(body))
  }

  /// The same in steps: any of them may run more than once.
  package nonisolated(nonsending) func write<Success: Sendable>(
    key: Int64? = nil, heedsStop: Bool = true, _ steps: Steps<Success>
  ) async throws -> Success {
    let queue = writes[key.map(writer) ?? 0]
    return try await Ticket.wait { try queue.put(PendingWork($0, key: key, heedsStop: heedsStop, steps)) }
  }

  /// The same for work that takes long and that nobody waits for. PostgreSQL does it over a connection of its own, so that no
  /// other write stands behind it; SQLite has one writer.
  package func writeAside<Success: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    try await Ticket.wait { [queue = aside ?? writes[0]] in
      try queue.put(PendingWork($0, key: nil, heedsStop: true, body))
    }
  }

  /// Spreads keys evenly, whatever they have in common: the upper half of a product with an odd number depends on all bits.
  /// The first writer is for writes without a key, if there are several: their locks have no order.
  private func writer(of key: Int64) -> Int {
    guard writes.count > 1 else { return 0 }
    return 1 + Int((UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 32) % (writes.count - 1)
  }

  /// Runs the body against one snapshot of what is committed; it cannot write. Errors and cancellation as with `write`.
  package nonisolated(nonsending) func read<Success: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    try await Ticket.wait { [reads] in try reads.put(PendingWork($0, key: nil, body)) }
  }

  /// Throws unless a read and a durable write by each writer succeed. Data stays as it is.
  package func ping() async throws {
    let probe = dialect.writeProbe
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.read { _ = try $0.execute("SELECT 1") } }
      for queue in writes {
        group.addTask {
          try await Ticket.wait { ticket in
            try queue.put(PendingWork(ticket, key: nil) { _ = try $0.execute(probe) })
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Finishes what waits, refuses what comes (`.closed`), closes the connections.
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
