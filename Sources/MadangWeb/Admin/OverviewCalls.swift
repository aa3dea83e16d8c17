import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer

/// All that the first page shows, in one answer: pages ask for it every few seconds.
struct Overview: Encodable {
  struct Connected: Encodable { let people, sockets: Int }
  struct Disk: Encodable { let size, free: Int }
  struct Queue: Encodable { let waiting: Int, failing: Bool }
  struct Waiting: Encodable { let waiting: Int }
  struct Backup: Encodable { let last, next: String?, running: Bool }
  struct Certificate: Encodable {
    /// Null before the first one.
    let endsAt: String?
    let names: [String]
    /// Why the last try to get one failed.
    let error: String?
  }
  struct Findings: Encodable {
    /// Whether the doctor has run since the server started.
    let areKnown: Bool
    let errors, warnings: Int
    let first: [DoctorFinding]
  }
  struct Graphs: Encodable { let hour, day: Graph }

  let now, version, startedAt: String
  let connected: Connected
  let chatsToday: Int
  /// Seconds.
  let post: Double?
  let disk: Disk
  let pushes, mails: Queue
  let database: Waiting
  let backup: Backup
  /// Null without TLS of the server's own.
  let certificate: Certificate?
  let readOnly: ReadOnlySummary
  /// Accounts that wait for approval.
  let pending: Int
  let findings: Findings
  let totals: ServerStatistics
  let series: Graphs
}

enum OverviewCalls {
  static func add(to routes: inout AdminRoutes) {
    routes.on(.get, "overview") { call in
      let parts = try call.parts
      guard let sight = call.received.sight else { throw AdminRefusal.failed }
      let (administration, madang) = (try call.administration, call.madang)
      let kept = try await call.console.totals.value(at: madang.clock) { try await totals(administration, madang) }
      let findings = parts.doctor.latest?.findings ?? []
      let errors = findings.count { $0.severity == .error }
      return Overview(
        now: WireDate.string(call.madang.clock.now), version: call.console.version,
        startedAt: WireDate.string(parts.startedAt), connected: .init(people: sight.people, sockets: sight.sockets),
        chatsToday: kept.chatsToday, post: sight.post,
        disk: .init(size: sight.disk?.size ?? 0, free: sight.disk?.free ?? 0),
        pushes: .init(waiting: sight.pushesWaiting, failing: sight.arePushesFailing),
        mails: .init(waiting: sight.mailsWaiting, failing: sight.areMailsFailing),
        database: .init(waiting: sight.databaseWaiting),
        backup: .init(
          last: try await call.madang.latestAudit(of: .backupMade).map { WireDate.string($0) },
          next: parts.backups.nextAt.map { WireDate.string($0) }, running: parts.backups.running != nil),
        certificate: kept.certificate, readOnly: try await call.administration.readOnlyMode(),
        pending: try await call.administration.accounts(state: .pending, limit: 1).total ?? 0,
        findings: .init(
          areKnown: parts.doctor.latest != nil, errors: errors, warnings: findings.count - errors,
          first: Array(
            (findings.filter { $0.severity == .error } + findings.filter { $0.severity == .warning }).prefix(2))),
        totals: kept.statistics, series: .init(hour: sight.hour, day: sight.day))
    }
  }

  private static func totals(
    _ administration: Administration, _ madang: Madang
  ) async throws -> Totals.Figures {
    let midnight = Calendar.current.startOfDay(for: Date(timeIntervalSince1970: Double(madang.clock.now) / 1000))
    let certificate = try await administration.certificate()
    return Totals.Figures(
      statistics: try await administration.statistics(),
      chatsToday: try await madang.chatCount(since: Int64(midnight.timeIntervalSince1970) * 1000),
      certificate: certificate.state == .off
        ? nil : .init(endsAt: certificate.notAfter, names: certificate.names, error: certificate.error))
  }
}

/// Figures that take long to count: at most once a minute.
actor Totals {
  struct Figures: Sendable {
    let statistics: ServerStatistics
    let chatsToday: Int
    let certificate: Overview.Certificate?
  }

  private static let age: Int64 = 60_000
  private var last: (at: Int64, figures: Figures)?
  private let shared = Shared<Figures>()

  func value(at clock: MadangCore.Clock, _ count: @escaping @Sendable () async throws -> Figures) async throws
    -> Figures
  {
    let now = clock.steady
    if let last, now - last.at < Self.age { return last.figures }
    let figures = try await shared.value(count)
    last = (now, figures)
    return figures
  }
}
