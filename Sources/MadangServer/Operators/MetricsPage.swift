import Hummingbird
import MadangCore
import MadangOperations
import NIOCore
import SocketIOServer
import Storage

/// Builds a page of metrics.
///
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/ (text format 0.0.4).
struct PrometheusText {
  private(set) var text = ""

  enum Kind: String {
    case counter, gauge, histogram, summary
  }

  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Labels are templates and codes of this program, which need no escaping.
  mutating func add(_ name: String, labels: [(String, String)] = [], _ value: some CustomStringConvertible) {
    let list = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
  }

  mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some CustomStringConvertible) {
    begin(name, kind, help)
    add(name, value)
  }
}

extension Service {
  /// `GET /metrics`.
  func metricsPage() -> Response {
    var page = PrometheusText()
    let now = reports.metrics.now
    addRequests(now, to: &page)
    let sockets = socketIO.stats
    page.single("madang_socketio_sessions", .gauge, "Engine.IO sessions that are open.", sockets.sessions)
    page.single("madang_socketio_sockets", .gauge, "Clients in namespaces.", sockets.sockets)
    page.single("madang_socketio_namespaces", .gauge, "Namespaces with clients.", sockets.namespaces)
    page.begin("madang_socket_admissions_total", .counter, "Connects to rooms by what admitted them.")
    for admission in SocketAdmission.allCases {
      page.add(
        "madang_socket_admissions_total", labels: [("by", admission.rawValue)], now.socketAdmissions[admission] ?? 0)
    }
    let held = limits.ledger.totals
    page.begin("madang_held", .gauge, "Resources that clients hold now: slots, or bytes of memory and disk.")
    for cost in Ledger.Cost.allCases {
      page.add("madang_held", labels: [("cost", cost.rawValue)], held[cost] ?? 0)
    }
    page.begin("madang_held_limit", .gauge, "The most that clients may hold together; 0 for no limit.")
    for cost in Ledger.Cost.allCases {
      page.add("madang_held_limit", labels: [("cost", cost.rawValue)], limits.ledger.limit(cost))
    }
    let writes = madang.database.writeCounts
    page.begin("madang_database_commit_writes", .summary, "Writes that shared a COMMIT.")
    page.add("madang_database_commit_writes_sum", writes.writes)
    page.add("madang_database_commit_writes_count", writes.commits)
    page.begin("madang_database_commit_seconds", .summary, "Time of a COMMIT.")
    page.add("madang_database_commit_seconds_sum", madang.database.commitSeconds)
    page.add("madang_database_commit_seconds_count", writes.commits)
    let waiting = madang.database.waiting
    page.begin("madang_database_waiting", .gauge, "Work that waits for the database.")
    page.add("madang_database_waiting", labels: [("queue", "write")], waiting.writes)
    page.add("madang_database_waiting", labels: [("queue", "read")], waiting.reads)
    page.single("madang_push_waiting", .gauge, "Chats that wait to be pushed.", now.pushesWaiting)
    page.single(
      "madang_push_dropped_total", .counter, "Chats that were not pushed because they had waited too long.",
      now.pushesDropped)
    page.begin("madang_push_notifications_total", .counter, "Notifications by outcome.")
    page.add("madang_push_notifications_total", labels: [("outcome", "sent")], now.pushesSent)
    page.add("madang_push_notifications_total", labels: [("outcome", "refused")], now.pushesFailed)
    page.single("madang_mails_waiting", .gauge, "Mails that wait to be sent.", now.mailsWaiting)
    page.single(
      "madang_mails_oldest_seconds", .gauge, "How long the oldest mail has waited; 0 if none waits.",
      now.oldestMail.map { max(0, madang.clock.now - $0) / 1000 } ?? 0)
    page.begin("madang_mails_total", .counter, "Attempts to send mails, by outcome.")
    for outcome in Metrics.MailOutcome.allCases {
      page.add("madang_mails_total", labels: [("outcome", outcome.rawValue)], now.mails[outcome] ?? 0)
    }
    page.begin("madang_mails_left_out_total", .counter, "Mails that were not queued, by the limit that was reached.")
    for reason in Metrics.LeftOutReason.allCases {
      page.add("madang_mails_left_out_total", labels: [("reason", reason.rawValue)], now.mailsLeftOut[reason] ?? 0)
    }
    page.begin("madang_provider_notices_total", .counter, "Notices by Apple and Kakao about people, by outcome.")
    for provider in SocialProvider.allCases {
      for outcome in Metrics.noticeOutcomes {
        page.add(
          "madang_provider_notices_total", labels: [("provider", provider.rawValue), ("outcome", outcome)],
          now.notices[.init(provider: provider, outcome: outcome)] ?? 0)
      }
    }
    page.begin("madang_sign_ins_failed_total", .counter, "Failed sign-ins, of accounts and of administrators.")
    for kind in Metrics.SignInKind.allCases {
      page.add("madang_sign_ins_failed_total", labels: [("of", kind.rawValue)], now.failedSignIns[kind] ?? 0)
    }
    page.single(
      "madang_backup_last_timestamp_seconds", .gauge, "When the newest backup was made, in Unix time; 0 without one.",
      (now.backup ?? 0) / 1000)
    page.single(
      "madang_housekeeping_leader", .gauge, "1 on the server that does housekeeping for its database, 0 on others.",
      now.leads ? 1 : 0)
    page.single(
      "madang_read_only", .gauge, "1 while the database is in read-only mode, else 0; some seconds late.",
      now.isReadOnly ? 1 : 0)
    if let end = now.certificateEnd {
      page.single(
        "madang_certificate_end_timestamp_seconds", .gauge,
        "When the server's own certificate ends, in seconds since 1970.", end)
    }
    addStorage(to: &page)
    ProcessFigures.add(to: &page)
    page.begin("madang_build_info", .gauge, "Always 1; the version of the program is its label.")
    page.add("madang_build_info", labels: [("version", settings.version)], 1)
    return Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: page.text)))
  }

  private func addStorage(to page: inout PrometheusText) {
    if let disk = DiskFigures(settings.dataDirectory) {
      page.single("madang_disk_size_bytes", .gauge, "The disk of the data directory.", disk.size)
      page.single("madang_disk_free_bytes", .gauge, "Bytes that the server may still write to it.", disk.free)
    }
    guard settings.database.url == nil else { return }
    page.single(
      "madang_database_log_bytes", .gauge, "SQLite's write-ahead log.", FileMode(settings.databaseLogFile)?.size ?? 0)
  }

  private func addRequests(_ now: Metrics.State, to page: inout PrometheusText) {
    let total = "madang_http_requests_total"
    page.begin(total, .counter, "Requests by route and outcome: 200 or the error code.")
    for (outcome, count) in now.requests {
      page.add(total, labels: labels(outcome.place) + [("code", outcome.code)], count)
    }
    let duration = "madang_http_request_duration_seconds"
    page.begin(duration, .histogram, "Time until the head of the answer.")
    for (place, histogram) in now.durations {
      let labels = labels(place)
      var count = 0
      for (bound, inside) in zip(Metrics.Histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
        count += inside
        page.add("\(duration)_bucket", labels: labels + [("le", bound)], count)
      }
      page.add("\(duration)_sum", labels: labels, histogram.sum)
      page.add("\(duration)_count", labels: labels, count)
    }
  }

  private func labels(_ place: Metrics.Place) -> [(String, String)] {
    [("edition", place.edition), ("method", place.method), ("route", place.route)]
  }
}
