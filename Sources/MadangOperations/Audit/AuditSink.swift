import Foundation
import Logging
import MadangAPI
import MadangCore
import SocketIOProtocol
import Storage
import Synchronization

/// Where rows of the audit log are sent besides: a file, the system's log, both or neither. Taking a row never waits. Each place
/// has a queue and a thread of its own, so that one that takes nothing keeps no rows from the other. Rows that come while too
/// many wait, and those that cannot be written, are lost there, counted, and told to the server's log; the database has them.
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
          if !isTaken { throw AuditProblem(description: "the log does not take it") }
        })
    }
    self.places = places
    patience = settings.logPatience
  }

  /// A row was committed. Returns at once.
  package func take(_ record: AuditRecord) {
    for place in places { place.take(record) }
  }

  /// What the domain announces, of which only rows of the audit log are taken.
  func hear(_ event: MadangCore.Event) {
    if case .audited(let record) = event { take(record) }
  }

  /// Returns when all rows that were taken are written, or given up after the time that a stop may wait. No more are taken.
  package func close() async {
    await withTaskGroup { group in
      for place in places { group.addTask { [patience] in await place.close(within: patience) } }
    }
  }
}

private struct AuditProblem: Error, CustomStringConvertible {
  let description: String
}

/// One place to which rows of the audit log are sent, one after the other.
private final class AuditPlace: Sendable {
  private let limit: Int
  private let rows: AsyncStream<AuditRecord>.Continuation
  private let writing: Task<Void, Never>
  private let losses: Losses

  /// - Parameter write: Blocks as long as the place does.
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
    // Not a child: nothing ends a thread that a place holds.
    Task { [writing] in
      await writing.value
      end.finish()
    }
    for await _ in ends {}
    timer.cancel()
    losses.close()
  }
}

/// Counts the rows that one place does not get, and tells the server's log once a minute.
private final class Losses: Sendable {
  private struct Counts {
    /// Rows that were taken and are neither written nor lost.
    var waiting = 0
    var lost = 0
    /// How many of them the server's log was told.
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

  /// No more rows are written: those that wait are lost.
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
      "rows of the audit log are not sent on; the database has them",
      metadata: ["problem": "\(place): \(problem)", "lost": "\(lost)"])
  }
}
