import Foundation
import Logging
import MadangAPI
import MadangCore
import SocketIOProtocol
import Storage
import Synchronization

/// Forwards rows of the audit log to a file, the system's log, both or neither. Adding a row never waits. Each target has
/// its own queue and thread, so a blocked target does not delay the other. Rows beyond the queue's limit and rows that
/// cannot be written are lost there, counted, and reported in the server's log; the database still has them.
package final class AuditSink: Sendable {
  private let places: [AuditPlace]
  private let patience: Duration

  package init(_ settings: ServerSettings, clock: Clock, logger: Logger) {
    var places: [AuditPlace] = []
    if !settings.auditSinks.file.isEmpty {
      let file = Mutex(AuditFile(path: settings.auditSinks.file))
      places.append(
        AuditPlace("audit.file", limit: settings.auditSinks.waiting, clock: clock, logger: logger) { _, json in
          try file.withLock { try $0.append(json + [UInt8(ascii: "\n")]) }
        })
    }
    if settings.auditSinks.goesToSyslog {
      let syslog = Mutex(Syslog(path: settings.auditSinks.syslogPath))
      places.append(
        AuditPlace("audit.syslog", limit: settings.auditSinks.waiting, clock: clock, logger: logger) { record, json in
          let severity = record.kind == AuditKind.signInRefused.rawValue ? 5 : 6
          let isTaken = syslog.withLock { $0.send(json, severity: severity, time: record.time) }
          if !isTaken { throw AuditProblem(description: "the log does not accept it") }
        })
    }
    self.places = places
    patience = settings.logPatience
  }

  /// A row was committed. Returns at once.
  package func take(_ record: AuditRecord) {
    for place in places { place.take(record) }
  }

  /// Receives the domain's announcements and takes the rows of the audit log.
  func hear(_ event: MadangCore.Event) {
    if case .audited(let record) = event { take(record) }
  }

  /// Returns when all rows are written, or dropped after the time that a stop may wait. Accepts no more rows.
  package func close() async {
    await withTaskGroup { group in
      for place in places { group.addTask { [patience] in await place.close(within: patience) } }
    }
  }
}

private struct AuditProblem: Error, CustomStringConvertible {
  let description: String
}

/// One target of rows, which are written in order.
private final class AuditPlace: Sendable {
  private let limit: Int
  private let rows: AsyncStream<AuditRecord>.Continuation
  private let writing: Task<Void, Never>
  private let losses: Losses

  /// - Parameter write: Blocks as long as the target does.
  init(
    _ name: String, limit: Int, clock: Clock, logger: Logger,
    write: @escaping @Sendable (AuditRecord, [UInt8]) throws -> Void
  ) {
    self.limit = limit
    let (stream, continuation) = AsyncStream.makeStream(
      of: AuditRecord.self, bufferingPolicy: .bufferingOldest(limit))
    let losses = Losses(name, clock: clock, logger: logger)
    (rows, self.losses) = (continuation, losses)
    writing = Task.detached {
      let worker = WorkerPool(name: name, threads: 1, queueLimit: 8)
      for await record in stream {
        do {
          let json = try WireEncoder.encode(AuditSummary(record))
          try await worker.run { try write(record, json) }
        } catch {
          losses.add("\((error as? AuditProblem)?.description ?? String(reflecting: error))")
        }
        losses.ended()
      }
      worker.shutdown()
    }
  }

  // A server that does not start closes nothing.
  deinit { rows.finish() }

  func take(_ record: AuditRecord) {
    losses.began()
    guard case .dropped = rows.yield(record) else { return }
    losses.ended()
    losses.add("more than \(limit) rows wait")
  }

  func close(within patience: Duration) async {
    rows.finish()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let timer = Task {
      try? await Task.sleep(for: patience)
      end.finish()
    }
    // Not a child task, because a thread that a target blocks cannot be ended.
    Task { [writing] in
      await writing.value
      end.finish()
    }
    for await _ in ends {}
    timer.cancel()
    losses.close()
  }
}

/// Counts the rows that one target loses, and logs them once a minute.
private final class Losses: Sendable {
  private struct Counts {
    /// Rows that are neither written nor lost yet.
    var waiting = 0
    var lost = 0
    /// How many lost rows were logged.
    var told = 0
    var problem = ""
  }

  private let place: String
  private let counts = Mutex(Counts())
  private let budget = LogBudget(limit: 1)
  private let clock: Clock
  private let logger: Logger

  init(_ place: String, clock: Clock, logger: Logger) {
    (self.place, self.clock, self.logger) = (place, clock, logger)
  }

  func began() { counts.withLock { $0.waiting += 1 } }
  func ended() { counts.withLock { $0.waiting -= 1 } }

  func add(_ problem: String) {
    counts.withLock { counts in
      counts.lost += 1
      counts.problem = problem
    }
    if budget.take(at: clock.steady) != nil { tell() }
  }

  /// Stops writing: waiting rows are lost.
  func close() {
    counts.withLock { counts in
      guard counts.waiting > 0 else { return }
      counts.lost += counts.waiting
      counts.problem = "the server stopped before they were written"
    }
    tell()
  }

  private func tell() {
    let (lost, problem) = counts.withLock { counts in
      defer { counts.told = counts.lost }
      return (counts.told < counts.lost ? counts.lost : 0, counts.problem)
    }
    guard lost > 0 else { return }
    logger.error(
      "rows of the audit log were not forwarded; the database still has them",
      metadata: ["problem": "\(place): \(problem)", "lost": "\(lost)"])
  }
}
