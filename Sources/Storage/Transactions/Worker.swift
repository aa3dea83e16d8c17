import Logging

/// A thread with one connection that processes a queue in batches.
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
        let link = Link(try source.open(access, isFirst: true), self)
        starting.continuation.finish()
        run(link)
      } catch {
        starting.continuation.finish(throwing: error)
      }
    }
    for try await _ in starting.stream {}
    return thread
  }

  /// Starts the thread. Its connection is opened when the first work arrives.
  func startLater(name: String) -> DedicatedThread {
    DedicatedThread(name: name) { run(Link(nil, self)) }
  }

  private func run(_ link: Link) {
    let (limit, takers) =
      access == .write ? (configuration.batchLimit, 1) : (configuration.readBatchLimit, max(1, configuration.readers))
    while let batch = queue.take(upTo: limit, takers: takers) { process(batch, link) }
    link.close()
  }

  /// Runs the batch until it is committed, or no retry can help.
  private func process(_ batch: [PendingWork], _ link: Link) {
    var waiting = ordered(batch)
    var failures = 0
    var cause = "it waited too long for the database"
    // Reads have several threads: one busy thread does not delay the next read.
    if access == .write { queue.beginWork() }
    defer { queue.endWork() }
    while let connection = link.connect(for: &waiting) {
      // Earlier attempts were rolled back, so nothing is committed.
      refuseLate(among: &waiting, because: cause)
      waiting = waiting.filter { $0.start() }
      guard !waiting.isEmpty else { return }
      do {
        guard access == .write else { return try SnapshotRead.run(waiting, on: connection) }
        let outcome = try GroupCommit(connection: connection, counts: counts, stop: source.stop.query).run(waiting)
        // A caller that receives its result may write again at once.
        queue.endWork()
        for deliver in outcome.deliveries { deliver() }
        connection.tidy()
        for work in outcome.postponed { process([work], link) }
        return
      } catch {
        failures += 1
        cause = error.message
        switch error.code {
        case .connectionLost where failures <= configuration.retryLimit,
          .serialization where failures <= (waiting.count == 1 ? configuration.retryLimit : 1):
          if error.code == .connectionLost {
            logger.warning("a database connection was lost", metadata: ["cause": "\(error.message)"])
          }
          logger.debug("database work is retried", metadata: ["cause": "\(error.code)", "attempt": "\(failures)"])
          pause(after: failures)
        case .outcomeUnknown:
          logger.warning(
            "it is unknown whether writes were committed",
            metadata: ["writes": "\(waiting.count)", "cause": "\(error.message)"])
          fail(waiting, error)
          return link.settle()
        case .connectionLost: return fail(waiting, error)
        default:
          guard waiting.count > 1 else { return fail(waiting, error) }
          // Nothing is committed, and one write failed the others: SQLite rolls everything back after an interrupt, and batches that lock
          // the same rows in opposite orders deadlock where each write alone would not.
          for work in waiting { process([work], link) }
          return
        }
      }
    }
  }

  /// Sorts by key, so that batches of several processes lock in one order. Writes of one key keep their order. SQLite needs no sorting: its
  /// writers have one lock.
  private func ordered(_ batch: [PendingWork]) -> [PendingWork] {
    guard access == .write, source.dialect == .postgres, batch.count > 1 else { return batch }
    return batch.enumerated().sorted { ($0.element.key ?? .max, $0.offset) < ($1.element.key ?? .max, $1.offset) }
      .map(\.element)
  }

  /// Fails and removes work that has waited longer than the limit.
  func refuseLate(among waiting: inout [PendingWork], because cause: String) {
    let isLate: (PendingWork) -> Bool = { $0.hasWaited(longerThan: configuration.waitLimit) }
    for work in waiting where isLate(work) { work.fail(StorageError(.connectionLost, cause)) }
    waiting.removeAll(where: isLate)
  }

  private func fail(_ waiting: [PendingWork], _ error: StorageError) {
    queue.endWork()
    for work in waiting { work.fail(error) }
  }

  /// Waits for a random time, so that two transactions of a deadlock do not meet again.
  private func pause(after failures: Int) {
    queue.sleep(for: configuration.retryBackoff * Double(1 << min(failures - 1, 10)) * Double.random(in: 0.5...1.5))
  }
}
