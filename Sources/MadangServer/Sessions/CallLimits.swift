import MadangAPI
import MadangCore
import Synchronization

/// Limits that answer `E98` (contract section 8.4). Counts are calls in a window; 0 turns a limit off.
public struct CallLimitSettings: Sendable {
  public var refreshes = 10
  /// Instead of `refreshes` while requests with an expired token of the session come: the client that repeats its old
  /// token takes any answer to a refresh for a new one.
  public var refreshesWithDeadToken = 20
  /// Refreshes that carry an expired access token: clients send one for each request that met the expiry.
  public var expiredRefreshes = 100
  /// Counted refreshes after which a request with an expired token of the session is answered `E98`.
  public var refreshesBeforeDeadToken = 5
  /// Refreshes with one refresh token that is unknown or has expired.
  public var refusedRefreshes = 10
  public var unknownTokens = 10
  public var requests = 600
  public var signInFailures = 10
  /// Milliseconds, for all but sign-in failures.
  public var window: Int64 = 10_000
  public var signInWindow: Int64 = 300_000
  /// Milliseconds after an answer that a session's access token has expired in which every refresh succeeds: clients
  /// refresh several times at one expiry, the later ones with the new token.
  public var expiryGrace: Int64 = 5000
  /// How many callers are remembered at once; the oldest windows are forgotten beyond it.
  public var maxCallers = 100_000

  public init() {}
}

/// Counts calls per caller in windows that begin with the first call.
final class CallLimits: Sendable {
  enum Subject: Hashable {
    case refresh(session: Int64)
    case expiredRefresh(session: Int64)
    /// Refreshes with the session's expired refresh token.
    case refusedRefresh(session: Int64)
    case unknownRefresh(hash: String)
    /// Requests with an expired access token, whatever the answer.
    case deadToken(session: Int64)
    /// Those of them that were answered `E05`.
    case expiry(session: Int64)
    case unknownToken(address: String, token: String)
    case session(Int64)
    case address(String)
    /// Refreshes, which do not stand in the way of a sign-in from the same address.
    case refreshes(address: String)
    case signIn(email: String, address: String)
  }

  private struct Window {
    var began: Int64
    var last: Int64
    var count: Int
  }

  let settings: CallLimitSettings
  private let clock: Clock
  private let windows = Mutex<[Subject: Window]>([:])

  init(_ settings: CallLimitSettings, clock: Clock) {
    self.settings = settings
    self.clock = clock
  }

  /// Counts a call and throws `E98` if it is one too many.
  func count(_ subject: Subject) throws(Refusal) { try count(subject, upTo: limit(of: subject)) }

  private func count(_ subject: Subject, upTo limit: Int) throws(Refusal) {
    guard limit > 0 else { return }
    let window = note(subject)
    if window.count > limit { throw refusal(until: window.began + length(of: subject), window.last) }
  }

  /// Counts a call that no limit forbids.
  @discardableResult
  private func note(_ subject: Subject) -> Window {
    let now = clock.now
    let length = length(of: subject)
    return windows.withLock { windows in
      makeRoom(in: &windows, now: now)
      var window = windows[subject] ?? Window(began: now, last: now, count: 0)
      if window.began + length <= now { window = Window(began: now, last: now, count: 0) }
      window.count += 1
      window.last = now
      windows[subject] = window
      return window
    }
  }

  /// The window of a subject, unless it has passed.
  private func window(_ subject: Subject, _ now: Int64) -> Window? {
    guard let window = windows.withLock({ $0[subject] }), window.began + length(of: subject) > now else { return nil }
    return window
  }

  /// Throws `E98` if more than `limit` calls were counted in the present window, without counting one.
  func check(_ subject: Subject, over limit: Int) throws(Refusal) {
    guard limit > 0 else { return }
    let now = clock.now
    guard let window = window(subject, now), window.count > limit else { return }
    throw refusal(until: window.began + length(of: subject), now)
  }

  /// Throws `E98` if the window is used up, without counting.
  func check(_ subject: Subject) throws(Refusal) { try check(subject, over: limit(of: subject)) }

  private func refusal(until end: Int64, _ now: Int64) -> Refusal {
    Refusal(.tooManyCalls, "too many calls", retryAfter: max(1, (end - now + 999) / 1000))
  }

  private func limit(of subject: Subject) -> Int {
    switch subject {
    case .refresh: settings.refreshes
    case .expiredRefresh: settings.expiredRefreshes
    case .refusedRefresh, .unknownRefresh: settings.refusedRefreshes
    case .deadToken, .expiry: 0
    case .unknownToken: settings.unknownTokens
    case .session, .address, .refreshes: settings.requests
    case .signIn: settings.signInFailures
    }
  }

  private func length(of subject: Subject) -> Int64 {
    if case .signIn = subject { settings.signInWindow } else { settings.window }
  }

  private func makeRoom(in windows: inout [Subject: Window], now: Int64) {
    guard windows.count >= settings.maxCallers else { return }
    windows = windows.filter { $0.value.began + length(of: $0.key) > now }
    guard windows.count >= settings.maxCallers else { return }
    // Still full: forget the older half, so that this happens seldom.
    let median = windows.values.map(\.began).sorted()[windows.count / 2]
    windows = windows.filter { $0.value.began > median }
  }
}

// MARK: - Expired tokens

extension CallLimits {
  /// A request showed an expired access token of a session. Throws `E98` if its client has fallen into a loop (contract
  /// section 8.4); otherwise the answer is `E05`.
  func refuseDeadToken(of session: Int64) throws(Refusal) {
    note(.deadToken(session: session))
    try check(.refresh(session: session), over: settings.refreshesBeforeDeadToken)
    try check(.refusedRefresh(session: session))
    note(.expiry(session: session))
  }

  /// Counts a refresh that is otherwise in order, and throws `E98` if it is one too many.
  func countRefresh(of session: Int64, showingExpiredToken: Bool) throws(Refusal) {
    guard !showingExpiredToken else { return try count(.expiredRefresh(session: session)) }
    guard settings.refreshes > 0 else { return }
    let hasDeadToken = window(.deadToken(session: session), clock.now) != nil
    let limit = hasDeadToken ? max(settings.refreshes, settings.refreshesWithDeadToken) : settings.refreshes
    try count(.refresh(session: session), upTo: limit)
  }

  /// Whether a request of the session was answered `E05` a moment ago.
  func wasExpired(_ session: Int64) -> Bool {
    let now = clock.now
    return window(.expiry(session: session), now).map { now - $0.last <= settings.expiryGrace } ?? false
  }
}
