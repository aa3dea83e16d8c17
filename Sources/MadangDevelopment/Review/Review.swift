import MadangAPI
import MadangCore

/// Searches a journal for habits of clients that will fail in production. A client is identified by the account of
/// its token; several devices of one account count as one client.
package enum Review {
  /// The findings, and what was examined.
  package struct Report: Codable, Sendable {
    /// The number of the oldest entry.
    package let from: Int
    package let last: Int
    /// How many requests, packets and connections of clients were examined: with none, nothing can be found.
    package let looked: Int
    package let findings: [ReviewFinding]
  }

  /// - Parameter entries: In order of their numbers. Work and memory grow linearly with their count.
  package static func findings(in entries: [JournalEntry]) -> [ReviewFinding] {
    let activities = AccountActivity.all(in: entries)
    var findings = activities.flatMap { activity in
      [
        activity.refreshStorm, activity.needlessRefresh, activity.answersNotAwaited, activity.namespacesNotLeft,
        activity.connectionsLeaked,
      ].compactMap(\.self) + activity.polling + activity.historyFromStart + activity.repeatedUploads
        + activity.doubledPosts
    }
    findings += missingHeaders(in: entries)
    if let finding = afterSignOut(in: entries) { findings.append(finding) }
    return findings.sorted { ($0.calls.first ?? 0) < ($1.calls.first ?? 0) }
  }

  /// Calls without a required header.
  private static func missingHeaders(in entries: [JournalEntry]) -> [ReviewFinding] {
    let refused = entries.filter { $0.isCall && $0.fault == nil }
    return [
      (HeaderName.apiKey, refused.filter { $0.code == ErrorCode.badKey.rawValue }),
      (
        HeaderName.authorization,
        refused.filter { $0.code == ErrorCode.badToken.rawValue && $0.operation != "refresh" }
      ),
      (
        HeaderName.refreshToken,
        refused.filter { $0.code == ErrorCode.badToken.rawValue && $0.operation == "refresh" }
      ),
    ].compactMap { header, calls in
      let calls = calls.filter { !$0.shows(header) }
      guard !calls.isEmpty else { return nil }
      return ReviewFinding(
        .missingHeader, of: nil, "\(counted(calls.count, "call")) without the header \(header)", calls)
    }
  }

  /// Calls with the token of an ended session. Its account is no longer known, so the last one to sign out is assumed.
  private static func afterSignOut(in entries: [JournalEntry]) -> ReviewFinding? {
    var signOut: JournalEntry?
    var late: [JournalEntry] = []
    for entry in entries where entry.isCall {
      if entry.operation == "signOut" {
        if entry.status == 200 { signOut = entry }
      } else if let signOut, entry.code == ErrorCode.badToken.rawValue, entry.account == nil, entry.operation != nil,
        entry.shows(HeaderName.authorization), entry.elapsed >= signOut.elapsed,
        entry.distance(from: signOut) <= 60_000
      {
        late.append(entry)
      }
    }
    guard !late.isEmpty else { return nil }
    return ReviewFinding(
      .afterSignOut, of: signOut?.account, "\(counted(late.count, "call")) with the token of a session that had ended",
      late)
  }
}

/// `1 call`, `2 calls`.
func counted(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }

extension JournalEntry {
  /// Whether it is a request of the API, not of long-polling.
  var isCall: Bool { kind == .request && longPolling == nil }

  func shows(_ header: String) -> Bool {
    request?.headers.contains { $0.name.lowercased() == header.lowercased() } ?? false
  }

  /// The distance of two entries in milliseconds, by the clock that gives the longer one: moving a test's clock must not
  /// cause a storm.
  func distance(from other: JournalEntry) -> Double {
    let apart = (moment ?? 0) - (other.moment ?? 0)
    return max(abs(elapsed - other.elapsed), Double(abs(apart)))
  }

  private var moment: Int64? { (try? Cursor.label(at, zoneless: 0)) ?? nil }

  /// Its end, in real milliseconds since the server was made.
  var end: Double { elapsed + (milliseconds ?? 0) }
}
