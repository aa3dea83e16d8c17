import Logging

/// A thread with one connection that works off a queue: the writer in batches, a reader one by one.
struct Worker: Sendable {
  let queue: BlockingQueue<PendingWork>
  let access: Access
  let configuration: DatabaseConfiguration
  let source: ConnectionSource
  let logger: Logger
  let counts: WriteCounts

  /// Starts the thread and returns when its connection is open.
  func start(name: String) async throws -> DedicatedThread {
    let starting = AsyncThrowingStream<Void, any Error>.makeStream()
    let thread = DedicatedThread(name: name) {
      do {
        let link = Link(try source.open(access), self)
        starting.continuation.finish()
        run(link)
      } catch {
        starting.continuation.finish(throwing: error)
      }
    }
    for try await _ in starting.stream {}
    return thread
  }

  private func run(_ link: Link) {
    while let batch = queue.take(upTo: access == .write ? configuration.batchLimit : 1) {
      process(batch, link)
    }
    link.close()
  }

  /// Runs the batch until it is committed, or no retry can help.
  private func process(_ batch: [PendingWork], _ link: Link) {
    var waiting = batch
    var retries = 0
    while let connection = link.connect(for: &waiting) {
      waiting = waiting.filter { $0.start() }
      guard !waiting.isEmpty else { return }
      do {
        let deliveries =
          access == .write
          ? try GroupCommit.run(waiting, on: connection) : try SnapshotRead.run(waiting, on: connection)
        if access == .write { counts.committed(deliveries.count) }
        for deliver in deliveries { deliver() }
        return
      } catch {
        connection.discard()
        retries += 1
        guard error.isRetryable, retries <= configuration.retryLimit else {
          if waiting.count > 1, error.cause.code != .connectionLost {
            // Nothing is committed. One of them took the others down: SQLite rolls everything back after an interrupt.
            for work in waiting { process([work], link) }
            return
          }
          for work in waiting { work.fail(error.cause) }
          return
        }
        logger.debug("database work is run again", metadata: ["cause": "\(error.cause.code)", "attempt": "\(retries)"])
      }
    }
  }
}

/// Why a batch as a whole came to nothing.
struct BatchFailure: Error {
  let cause: StorageError
  /// Certain that nothing was committed, and worth another try.
  let isRetryable: Bool

  /// A failure before COMMIT was sent.
  init(_ cause: StorageError) {
    self.cause = cause
    isRetryable = cause.code == .connectionLost || cause.code == .serialization
  }

  /// A failure of COMMIT: without an answer nobody knows what became of it.
  init(commit failure: EngineFailure) {
    cause = failure.cause
    isRetryable = cause.code == .serialization
  }
}
