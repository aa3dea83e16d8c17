import MadangAPI
import MadangCore
import Synchronization

/// Limits that answer `E98` (contract section 8.4). Counts are calls in a window; 0 turns a limit off.
public struct CallLimitSettings: Sendable {
  public var refreshes = 10
  /// Refreshes that carry an expired access token: clients send one for each request that met the expiry.
  public var expiredRefreshes = 100
  /// Counted refreshes after which a request with an expired token of the session is answered `E98`.
  public var refreshesBeforeDeadToken = 5
  public var unknownTokens = 10
  public var requests = 600
  public var signInFailures = 10
  /// Milliseconds, for all but sign-in failures.
  public var window: Int64 = 10_000
  public var signInWindow: Int64 = 300_000
  /// How many callers are remembered at once; the oldest windows are forgotten beyond it.
  public var maxCallers = 100_000

  public init() {}
}

/// Counts calls per caller in windows that begin with the first call.
final class CallLimits: Sendable {
  enum Subject: Hashable {
    case refresh(session: Int64)
    case expiredRefresh(session: Int64)
    case unknownToken(address: String, token: String)
    case session(Int64)
    case address(String)
    case signIn(email: String, address: String)
  }

  private struct Window {
    var began: Int64
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
  func count(_ subject: Subject) throws(Refusal) {
    let limit = limit(of: subject)
    guard limit > 0 else { return }
    let now = clock.now
    let length = length(of: subject)
    let window = windows.withLock { windows in
      makeRoom(in: &windows, now: now)
      var window = windows[subject] ?? Window(began: now, count: 0)
      if window.began + length <= now { window = Window(began: now, count: 0) }
      window.count += 1
      windows[subject] = window
      return window
    }
    if window.count > limit { throw refusal(until: window.began + length, now) }
  }

  /// Throws `E98` if more than `limit` calls were counted in the present window, without counting one.
  func check(_ subject: Subject, over limit: Int) throws(Refusal) {
    guard limit > 0 else { return }
    let now = clock.now
    let length = length(of: subject)
    guard let window = windows.withLock({ $0[subject] }), window.began + length > now, window.count > limit
    else { return }
    throw refusal(until: window.began + length, now)
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
    case .unknownToken: settings.unknownTokens
    case .session, .address: settings.requests
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
