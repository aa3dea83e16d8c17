import Logging
import MadangAPI
import MadangCore
import SocketIOProtocol
import Storage
import Synchronization

/// Adds entries of the audit log to a file, besides the database. Adding an entry never waits: a queue and a thread write them. Entries beyond
/// the queue's limit and entries that cannot be written are not in the file; they are counted and reported in the server's log.
package final class AuditSink: Sendable {
  private let limit: Int
  private let patience: Duration
  private let entries: AsyncStream<AuditRecord>.Continuation
  /// Nil without a file.
  private let writing: Task<Void, Never>?
  private let losses: Losses

  package init(_ settings: ServerSettings, clock: Clock, logger: Logger) {
    (limit, patience) = (settings.auditSinks.waiting, settings.logPatience)
    let (stream, entries) = AsyncStream.makeStream(of: AuditRecord.self, bufferingPolicy: .bufferingOldest(limit))
    let losses = Losses(clock: clock, logger: logger)
    (self.entries, self.losses) = (entries, losses)
    guard !settings.auditSinks.file.isEmpty else {
      writing = nil
      return
    }
    let file = Mutex(AuditFile(path: settings.auditSinks.file))
    writing = Task.detached {
      let worker = WorkerPool(name: "audit.file", threads: 1, queueLimit: 8)
      for await record in stream {
        do {
          let line = try WireEncoder.encode(AuditSummary(record)) + [UInt8(ascii: "\n")]
          try await worker.run { try file.withLock { try $0.append(line) } }
        } catch {
          losses.add("\(String(reflecting: error))")
        }
        losses.ended()
      }
      worker.shutdown()
    }
  }

  // A server that does not start closes nothing.
  deinit { entries.finish() }

  /// An entry was committed. Returns at once.
  package func take(_ record: AuditRecord) {
    guard writing != nil else { return }
    losses.began()
    guard case .dropped = entries.yield(record) else { return }
    losses.ended()
    losses.add("more than \(limit) entries wait")
  }

  /// What the domain announces, of which only entries of the audit log are taken.
  func hear(_ event: MadangCore.Event) {
    if case .audited(let record) = event { take(record) }
  }

  /// Returns when all entries are written, or dropped after the time that a stop may wait. Accepts no more entries.
  package func close() async {
    guard let writing else { return }
    entries.finish()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let timer = Task { [patience] in
      try? await Task.sleep(for: patience)
      end.finish()
    }
    // Not a child task, because a thread that a file blocks cannot be ended.
    Task {
      await writing.value
      end.finish()
    }
    for await _ in ends {}
    timer.cancel()
    losses.close()
  }
}

/// Counts the entries that the file lacks, and logs the number at most once a minute.
private final class Losses: Sendable {
  private struct Counts {
    /// Entries that are neither written nor lost yet.
    var waiting = 0
    var lost = 0
    /// How many lost entries were logged.
    var logged = 0
    var problem = ""
  }

  private let counts = Mutex(Counts())
  private let budget = LogBudget(limit: 1)
  private let clock: Clock
  private let logger: Logger

  init(clock: Clock, logger: Logger) { (self.clock, self.logger) = (clock, logger) }

  func began() { counts.withLock { $0.waiting += 1 } }
  func ended() { counts.withLock { $0.waiting -= 1 } }

  func add(_ problem: String) {
    counts.withLock { counts in
      counts.lost += 1
      counts.problem = problem
    }
    if budget.take(at: clock.steady) != nil { log() }
  }

  /// Stops writing: waiting entries are lost.
  func close() {
    counts.withLock { counts in
      guard counts.waiting > 0 else { return }
      counts.lost += counts.waiting
      counts.problem = "the server stopped before they were written"
    }
    log()
  }

  private func log() {
    let (lost, problem) = counts.withLock { counts in
      defer { counts.logged = counts.lost }
      return (counts.logged < counts.lost ? counts.lost : 0, counts.problem)
    }
    guard lost > 0 else { return }
    logger.error(
      "rows of the audit log were not written to the file; the database still has them",
      metadata: ["problem": "audit.file: \(problem)", "lost": "\(lost)"])
  }
}
