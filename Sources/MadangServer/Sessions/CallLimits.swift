import MadangAPI
import MadangCore
import MadangOperations
import Synchronization

/// Counts calls per caller in windows that begin with the first call.
final class CallLimits: Sendable {
  enum Subject: Hashable {
    case refresh(session: Int64)
    /// Refreshes caused by the expiry of the session's access token.
    case refreshAtExpiry(session: Int64)
    /// Refreshes with the session's expired refresh token.
    case refreshWithExpiredToken(session: Int64)
    case refreshWithUnknownToken(KeyHash)
    case unknownToken(KeyHash, address: KeyHash)
    case session(Int64)
    /// Of the administrator's console.
    case administrator(session: Int64)
    /// Calls without a session.
    case address(KeyHash)
    /// All sessions of an account.
    case account(Int64)
    /// Calls from an address, with and without sessions.
    case everything(from: KeyHash)
    case signUps(from: KeyHash)
    /// Refreshes of unknown sessions, counted separately so that a loop of them never blocks a sign-in from its address.
    case refreshes(address: KeyHash)
    /// Connects of sockets to rooms.
    case connects(session: Int64)
    case connectsFrom(KeyHash)

    /// The name in an explanation.
    fileprivate var name: String {
      switch self {
      case .refresh: "refreshes of this session"
      case .refreshAtExpiry: "refreshes at the expiry of an access token"
      case .refreshWithExpiredToken: "refreshes with an expired refresh token"
      case .refreshWithUnknownToken: "refreshes with one unknown refresh token"
      case .unknownToken: "calls with one unknown token"
      case .session, .administrator: "calls of this session"
      case .address: "calls without a session from this address"
      case .account: "calls of this account"
      case .everything: "calls from this address"
      case .signUps: "sign-ups from this address"
      case .refreshes: "refreshes without a session from this address"
      case .connects, .connectsFrom: "connects of sockets"
      }
    }
  }

  struct Window {
    var began: Int64
    var count: Int
  }

  /// What exceeded its limit, and when that ends.
  struct Excess {
    let subject: Subject
    let limit: Int
    let end: Int64
  }

  struct State {
    var windows: [Subject: Window] = [:]
    /// The accounts of recently seen sessions.
    var accounts: [Int64: Int64] = [:]
    var nextSweep: Int64 = 0
  }

  let settings: CallLimitSettings
  let clock: Clock
  let expiredTokens: ExpiredTokens
  let state = Mutex(State())

  init(_ settings: CallLimitSettings, clock: Clock) {
    self.settings = settings
    self.clock = clock
    expiredTokens = ExpiredTokens(
      clock: clock, memory: max(settings.window, settings.expiryGrace), maxSessions: settings.maxCallers)
  }

  /// Counts a call. Throws `E98` if it exceeds the limit.
  func count(_ subject: Subject) throws(Refusal) { try count(subject, upTo: limit(of: subject)) }

  func count(_ subject: Subject, upTo limit: Int) throws(Refusal) {
    guard limit > 0 else { return }
    let now = clock.steady
    let excess = state.withLock { state in
      makeRoom(in: &state, now: now)
      return add(subject, upTo: limit, to: &state, now)
    }
    if let excess { throw refusal(excess, now) }
  }

  /// Counts one call in the present window. Returns the excess, if any.
  func add(_ subject: Subject, upTo limit: Int, to state: inout State, _ now: Int64) -> Excess? {
    guard limit > 0 else { return nil }
    let length = length(of: subject)
    var window = state.windows[subject] ?? Window(began: now, count: 0)
    if window.began + length <= now { window = Window(began: now, count: 0) }
    window.count += 1
    state.windows[subject] = window
    return window.count > limit ? Excess(subject: subject, limit: limit, end: window.began + length) : nil
  }

  /// Throws `E98` if more than `limit` calls were counted in the present window, without counting one.
  func check(_ subject: Subject, over limit: Int) throws(Refusal) {
    guard limit > 0 else { return }
    let now = clock.steady
    guard let window = state.withLock({ $0.windows[subject] }) else { return }
    let end = window.began + length(of: subject)
    guard end > now, window.count > limit else { return }
    throw refusal(Excess(subject: subject, limit: limit, end: end), now)
  }

  /// Throws `E98` if more calls than allowed were counted in the present window, without counting one.
  func check(_ subject: Subject) throws(Refusal) { try check(subject, over: limit(of: subject)) }

  func refusal(_ excess: Excess, _ now: Int64) -> Refusal {
    Refusal(
      .tooManyCalls,
      "more than \(excess.limit) \(excess.subject.name) in \(length(of: excess.subject) / 1000) s",
      retryAfter: max(1, (excess.end - now + 999) / 1000))
  }

  /// The length of its window, in milliseconds.
  private func length(of subject: Subject) -> Int64 {
    if case .signUps = subject { settings.signUpWindow } else { settings.window }
  }

  private func limit(of subject: Subject) -> Int {
    switch subject {
    case .refresh: settings.refreshes
    case .refreshAtExpiry: settings.expiredRefreshes
    case .refreshWithExpiredToken, .refreshWithUnknownToken: settings.refusedRefreshes
    case .unknownToken: settings.unknownTokens
    case .session, .administrator, .address, .refreshes: settings.requests
    case .account: settings.accountRequests
    case .everything: settings.addressRequests
    case .signUps: settings.signUps
    case .connects, .connectsFrom: settings.connects
    }
  }

  /// Removes expired windows, once per window or when there are too many.
  func makeRoom(in state: inout State, now: Int64) {
    guard now >= state.nextSweep || state.windows.count >= settings.maxCallers else { return }
    state.nextSweep = now + settings.window
    state.windows = state.windows.filter { $0.value.began + length(of: $0.key) > now }
    guard state.windows.count >= settings.maxCallers else { return }
    // Still full: remove the older half, so that this is rare.
    let median = state.windows.values.map(\.began).sorted()[state.windows.count / 2]
    state.windows = state.windows.filter { $0.value.began > median }
  }
}

// MARK: - Calls, under the ceilings of their account and address

extension CallLimits {
  /// Counts a call for its session, or for its address if it has none; then for the session's account and the address.
  /// Throws `E98` at the first exceeded limit; the later ones do not count the call, so a session in a loop does not use up
  /// its account's limit.
  func countCall(of session: Int64?, or other: Subject, from address: KeyHash) throws(Refusal) {
    guard settings.requests > 0 else { return }
    try count(session.map(Subject.session) ?? other, upTo: settings.requests, of: session, from: address)
  }

  /// Counts a socket's connect to a room, like a call.
  func countConnect(of session: Int64?, from address: KeyHash) throws(Refusal) {
    guard settings.connects > 0 else { return }
    try count(
      session.map(Subject.connects) ?? .connectsFrom(address), upTo: settings.connects, of: session, from: address)
  }

  private func count(
    _ subject: Subject, upTo limit: Int, of session: Int64?, from address: KeyHash
  ) throws(Refusal) {
    let now = clock.steady
    let hasCeilings = settings.requests > 0
    let excess = state.withLock { state -> Excess? in
      makeRoom(in: &state, now: now)
      if let excess = add(subject, upTo: limit, to: &state, now) { return excess }
      guard hasCeilings else { return nil }
      if let account = session.flatMap({ state.accounts[$0] }),
        let excess = add(.account(account), upTo: settings.accountRequests, to: &state, now)
      {
        return excess
      }
      return add(.everything(from: address), upTo: settings.addressRequests, to: &state, now)
    }
    if let excess { throw refusal(excess, now) }
  }

  /// Notes the account of a session. From its next call on the session counts for the account as well.
  func note(_ session: Int64, of account: Int64) {
    guard settings.requests > 0, settings.accountRequests > 0 else { return }
    state.withLock { state in
      guard state.accounts[session] != account else { return }
      // Each session is noted again at its next call.
      if state.accounts.count >= settings.maxCallers { state.accounts.removeAll() }
      state.accounts[session] = account
    }
  }
}
