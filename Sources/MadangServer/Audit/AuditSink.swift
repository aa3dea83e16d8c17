import Foundation
import Logging
import MadangAPI
import MadangCore
import SocketIOServer
import Storage
import Synchronization

/// Where rows of the audit log are sent besides: a file, the system's log, both or neither. Taking a row never waits. Rows
/// that come while too many wait, and those that cannot be written, are lost there, counted, and told to the server's log;
/// the database has them.
final class AuditSink: Sendable {
  /// Rows that wait at most.
  private static let maxWaiting = 4096

  private let writer: AuditWriter?
  private let rows: AsyncStream<AuditRecord>.Continuation?
  private let writing: Task<Void, Never>?

  init(_ settings: ServerSettings, clock: Clock, logger: Logger) {
    guard !settings.auditFile.isEmpty || settings.auditGoesToSyslog else {
      (writer, rows, writing) = (nil, nil, nil)
      return
    }
    let (stream, continuation) = AsyncStream.makeStream(
      of: AuditRecord.self, bufferingPolicy: .bufferingOldest(Self.maxWaiting))
    let writer = AuditWriter(settings, clock: clock, logger: logger)
    (self.writer, rows) = (writer, continuation)
    writing = Task.detached {
      let worker = WorkerPool(name: "audit", threads: 1, queueLimit: 8)
      for await record in stream { try? await worker.run { writer.write(record) } }
      worker.shutdown()
    }
  }

  // A server that does not start closes nothing.
  deinit { rows?.finish() }

  /// A row was committed. Returns at once.
  func take(_ record: AuditRecord) {
    guard let rows, case .dropped = rows.yield(record) else { return }
    writer?.lose("more than \(Self.maxWaiting) rows wait")
  }

  /// What the domain announces, of which only rows of the audit log are taken.
  func hear(_ event: MadangCore.Event) {
    if case .audited(let record) = event { take(record) }
  }

  /// Returns when all rows that were taken are written. No more are taken.
  func close() async {
    rows?.finish()
    await writing?.value
  }
}

/// Writes rows of the audit log, one after the other.
private final class AuditWriter: Sendable {
  private struct Places {
    let file: AuditFile?
    let syslog: Syslog?
  }

  private let places: Mutex<Places>
  private let lost = Atomic(0)
  private let budget = LogBudget(limit: 1)
  private let clock: Clock
  private let logger: Logger

  init(_ settings: ServerSettings, clock: Clock, logger: Logger) {
    places = Mutex(
      Places(
        file: settings.auditFile.isEmpty ? nil : AuditFile(path: settings.auditFile),
        syslog: settings.auditGoesToSyslog ? Syslog(path: settings.syslogPath) : nil))
    (self.clock, self.logger) = (clock, logger)
  }

  /// Blocks as long as the disk does.
  func write(_ record: AuditRecord) {
    let summary = AuditSummary(record)
    guard let json = try? WireEncoder.encode(summary) else { return lose("it is no JSON") }
    let severity = record.kind == AuditKind.signInRefused.rawValue ? 5 : 6
    let problems = places.withLock { places in
      var problems: [String] = []
      do { try places.file?.append(json + [UInt8(ascii: "\n")]) } catch {
        problems.append("audit.file: \(String(reflecting: error))")
      }
      if let syslog = places.syslog, !syslog.send(json, severity: severity, time: record.time) {
        problems.append("audit.syslog: the log does not take it")
      }
      return problems
    }
    for problem in problems { lose(problem) }
  }

  /// A row is lost. Told once a minute, with how many there were by then.
  func lose(_ problem: String) {
    let count = lost.add(1, ordering: .relaxed).newValue
    guard budget.take(at: clock.steady) != nil else { return }
    logger.error(
      "rows of the audit log are not sent on; the database has them",
      metadata: ["problem": "\(problem)", "lost": "\(count)"])
  }
}
