import Logging

/// A database: one writer that commits in groups, and readers beside it, each on a thread of its own.
package final class Database: Sendable {
  private let writes: BlockingQueue<PendingWork>
  private let reads: BlockingQueue<PendingWork>
  private let writer: DedicatedThread
  private let readers: [DedicatedThread]
  private let source: ConnectionSource
  private let counts: WriteCounts

  /// How many transactions were committed so far, and how many writes they carried.
  package var writeCounts: (commits: Int, writes: Int) { counts.now }

  package var dialect: Dialect { source.dialect }

  /// Opens every connection; throws `StorageError` when one cannot be opened.
  package init(_ configuration: DatabaseConfiguration, logger: Logger) async throws {
    let source = ConnectionSource(configuration, logger)
    let writes = BlockingQueue<PendingWork>(limit: configuration.writeQueueLimit) { $0.isAbandoned() }
    let reads = BlockingQueue<PendingWork>(limit: configuration.readQueueLimit) { $0.isAbandoned() }
    let counts = WriteCounts()
    do {
      let write = Worker(
        queue: writes, access: .write, configuration: configuration, source: source, logger: logger, counts: counts)
      writer = try await write.start(name: "db-writer")
      let read = Worker(
        queue: reads, access: .read, configuration: configuration, source: source, logger: logger, counts: counts)
      var readers: [DedicatedThread] = []
      for index in 0..<max(1, configuration.readers) {
        readers.append(try await read.start(name: "db-reader-\(index)"))
      }
      self.readers = readers
    } catch {
      writes.close()
      reads.close()
      source.removeTemporaryFiles()
      throw (error as? EngineFailure)?.cause ?? error
    }
    self.source = source
    self.counts = counts
    self.writes = writes
    self.reads = reads
  }

  deinit {
    writes.close()
    reads.close()
    source.removeTemporaryFiles()
  }

  /// Runs the body in a transaction and returns when it is durable. Others may share that transaction's COMMIT, each in a
  /// savepoint of its own.
  ///
  /// The body may run more than once (after a lost connection or a deadlock), so it must have no other effects than its
  /// statements and `afterCommit`. What it throws rolls it back and arrives unchanged; the engine's own errors are
  /// `StorageError`. Cancelled before it starts it throws `CancellationError`; once started it completes.
  package func write<Success: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    try await Ticket.wait { [writes] in try writes.put(PendingWork($0, body)) }
  }

  /// Runs the body against one snapshot of what is committed; it cannot write. Errors and cancellation as with `write`.
  package func read<Success: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    try await Ticket.wait { [reads] in try reads.put(PendingWork($0, body)) }
  }

  /// Throws unless a read and a durable write succeed. Data stays as it is.
  package func ping() async throws {
    _ = try await read { try $0.first("SELECT 1 AS one") { try $0.get("one", as: Int.self) } }
    let probe = dialect.writeProbe
    try await write { _ = try $0.execute(probe) }
  }

  /// Finishes what waits, refuses what comes (`.closed`), closes the connections.
  package func close() async {
    reads.close()
    for reader in readers { await reader.join() }
    // The last connection to close writes SQLite's log back into the file, and only the writer may.
    writes.close()
    await writer.join()
    source.removeTemporaryFiles()
  }
}
