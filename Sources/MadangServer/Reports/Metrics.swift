import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import Synchronization

/// Counts what the server does, for `GET /metrics`. Labels have few values: routes by their template, never by path.
final class Metrics: Sendable {
  struct Place: Hashable {
    let edition: String
    let method: String
    let route: String

    /// - Parameters:
    ///   - edition: Nil without a valid key.
    ///   - route: Nil for an unknown path.
    init(_ edition: Edition?, _ route: Route?) {
      self.edition = edition?.name ?? "none"
      method = route?.method.rawValue ?? "any"
      self.route = route?.template ?? "unknown"
    }
  }

  struct Outcome: Hashable {
    let place: Place
    /// The status of a success, or the contract's code of a refusal.
    let code: String
  }

  /// How long requests took, up to the head of the answer.
  struct Histogram {
    /// Upper bounds in seconds.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
    private(set) var counts = Array(repeating: 0, count: bounds.count + 1)
    private(set) var sum = 0.0

    mutating func add(_ seconds: Double) {
      counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
      sum += seconds
    }
  }

  struct State {
    var requests: [Outcome: Int] = [:]
    var durations: [Place: Histogram] = [:]
    var socketAdmissions: [SocketAdmission: Int] = [:]
    var pushesWaiting = 0
    var pushesDropped = 0
    var pushesSent = 0
    var pushesFailed = 0
    var mailsWaiting = 0
    /// When the oldest mail that waits was queued, in milliseconds since 1970; nil if none waits.
    var oldestMail: Int64?
    /// When the newest backup was made, in milliseconds since 1970; nil without one.
    var backup: Int64?
    var failedSignIns: [SignInKind: Int] = [:]
    var mails: [MailOutcome: Int] = [:]
    var mailsLeftOut: [LeftOutReason: Int] = [:]
    var notices: [Notice: Int] = [:]
    var leads = false
    var isReadOnly = false
    /// When the certificate ends, in seconds since 1970; nil if there is none.
    var certificateEnd: Int?
    var refusesWrites = false

    /// How many chats were posted, and how long posts took, by ``Histogram``.
    var posts: (chats: Int, durations: [Int]) {
      func isPost(_ place: Place) -> Bool { place.method == Method.post.rawValue && Self.posts.contains(place.route) }
      let empty = Array(repeating: 0, count: Histogram.bounds.count + 1)
      return (
        requests.reduce(0) { $0 + (isPost($1.key.place) && $1.key.code == "200" ? $1.value : 0) },
        durations.reduce(empty) { sum, one in isPost(one.key) ? zip(sum, one.value.counts).map { $0 + $1 } : sum }
      )
    }

    private static let posts: Set = [
      Edition2024_10.postToChannel.route.template, Edition2024_10.postToDirectMessage.route.template,
      Edition2024_01.postToChannel.route.template, Edition2024_01.postToDirectMessage.route.template,
    ]
  }

  /// Who failed to sign in.
  enum SignInKind: String, CaseIterable {
    case account, administrator
  }

  /// The outcome of a provider's notice about a person.
  struct Notice: Hashable {
    let provider: SocialProvider
    let outcome: String
  }

  /// The request was not a notice of the provider.
  static let refusedNotice = "refused"
  /// The notice could not be verified or applied.
  static let failedNotice = "failed"
  static let noticeOutcomes = NoticeOutcome.allCases.map(\.rawValue) + [refusedNotice, failedNotice]

  /// The outcome of an attempt to send a mail.
  enum MailOutcome: String, CaseIterable {
    case sent
    /// It will be retried.
    case putOff = "put_off"
    case refused
    /// It was too old, or tried too often.
    case expired
    /// It was not queued: see ``LeftOutReason``.
    case leftOut = "left_out"
  }

  /// Why a mail was not queued.
  enum LeftOutReason: String, CaseIterable {
    case queue, account, hour
    /// Too many links were requested at once.
    case requests
    /// The database did not answer for too long.
    case database

    init(_ reason: MailLeftOut.Reason) {
      self =
        switch reason {
        case .queue: .queue
        case .account: .account
        case .hour: .hour
        }
    }
  }

  private let state = Mutex(State())
  let troubles = Troubles()

  var now: State { state.withLock(\.self) }

  /// A request is answered.
  /// - Parameter code: The status of a success, or the contract's code of a refusal.
  func finished(_ place: Place, began: ContinuousClock.Instant, code: String) {
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    state.withLock { state in
      state.requests[Outcome(place: place, code: code), default: 0] += 1
      state.durations[place, default: Histogram()].add(seconds)
    }
  }

  func socketAdmitted(by admission: SocketAdmission) {
    state.withLock { $0.socketAdmissions[admission, default: 0] += 1 }
  }

  /// Sets whether this server does the housekeeping. True if that has changed.
  func setLeads(_ leads: Bool) -> Bool {
    state.withLock { state in
      defer { state.leads = leads }
      return state.leads != leads
    }
  }

  /// Sets whether the database is in read-only mode. True if that has changed.
  func setReadOnly(_ isOn: Bool) -> Bool {
    state.withLock { state in
      defer { (state.isReadOnly, state.refusesWrites) = (isOn, isOn) }
      return state.isReadOnly != isOn
    }
  }

  func setCertificateEnd(_ end: Date) {
    state.withLock { $0.certificateEnd = Int(end.timeIntervalSince1970) }
  }
  /// The same, noticed by a call before the housekeeping asks the database.
  func noteReadOnly(_ isOn: Bool) { state.withLock { $0.refusesWrites = isOn } }

  /// Whether the database is in read-only mode, as far as this server knows.
  var refusesWrites: Bool { state.withLock(\.refusesWrites) }

  func setPushesWaiting(_ count: Int) { state.withLock { $0.pushesWaiting = count } }
  /// - Parameter oldest: When the oldest was queued, in milliseconds since 1970; nil if none waits.
  func setMailsWaiting(_ count: Int, oldest: Int64?) {
    state.withLock { ($0.mailsWaiting, $0.oldestMail) = (count, oldest) }
  }

  /// A backup was made at a time, in milliseconds since 1970.
  func setBackup(_ time: Int64) { state.withLock { $0.backup = max($0.backup ?? time, time) } }
  func signInFailed(_ kind: SignInKind) { state.withLock { $0.failedSignIns[kind, default: 0] += 1 } }

  /// A row was written to the audit log by this server.
  func audited(_ record: AuditRecord) {
    switch AuditKind(rawValue: record.kind) {
    case .backupMade: setBackup(record.time)
    case .administratorRefused: signInFailed(.administrator)
    default: break
    }
  }

  func mail(_ outcome: MailOutcome, _ count: Int = 1) { state.withLock { $0.mails[outcome, default: 0] += count } }
  func mailLeftOut(_ reason: LeftOutReason) {
    mail(.leftOut)
    state.withLock { $0.mailsLeftOut[reason, default: 0] += 1 }
  }

  func pushDropped(_ count: Int = 1) { state.withLock { $0.pushesDropped += count } }
  func notice(_ provider: SocialProvider, _ outcome: String) {
    state.withLock { $0.notices[Notice(provider: provider, outcome: outcome), default: 0] += 1 }
  }

  func pushSent() { state.withLock { $0.pushesSent += 1 } }
  func pushFailed() { state.withLock { $0.pushesFailed += 1 } }
}
