import MadangAPI
import MadangCore
import MadangOperations
import Synchronization

/// Limits attempts on passwords (wire contract, Call limits): `signInFailures` of one account from one address in a window,
/// and `signInFailuresAnywhere` of one account from all addresses. Beyond the latter, attempts are let through one by one,
/// so that an attacker cannot lock an account's owner out for long. The same applies to one address beyond
/// `signInFailuresFromAddress`, over all accounts: one password tried with many accounts counts for each.
///
/// An attempt counts from before its password is hashed until it turns out to be right, so parallel attempts gain nothing:
/// attempts that would exceed the limit if all running ones failed wait for those.
///
/// Servers of one database notify each other of failures some milliseconds later. Until then each server may let its own
/// number through; the excess makes the window longer, so that over time there are no more than at one server.
final class SignInTries: Sendable {
  private struct Tries {
    var began: Int64
    var failures = 0
    var underWay = 0
    var waiting: [CheckedContinuation<Entry, Never>] = []

    /// When the failures expire: after as many windows as a single server would have needed to let them through.
    func end(_ settings: CallLimitSettings) -> Int64 {
      let windows = (failures - 1) / max(1, settings.signInFailures) + 1
      return began + Int64(min(max(1, windows), SignInTries.maxWindows)) * settings.signInWindow
    }
  }

  private enum Entry {
    case admitted
    case refused(Refusal)
    /// Other attempts have ended: check again.
    case again
  }

  /// Failures that expire one by one.
  private struct Fading {
    var failures: Double
    var at: Int64
  }

  private struct State {
    var tries: [SignInKey: Tries] = [:]
    /// When each account last signed in at an address. There, only its own failures at this address count, even after it has signed out.
    var homes: [SignInKey: Int64] = [:]
    /// Failures and running attempts of each account, at all addresses. Each one expires after its share of the window.
    var anywhere: [KeyHash: Fading] = [:]
    /// Failures and running attempts at each address, of all accounts.
    var addresses: [KeyHash: Fading] = [:]
    var nextSweep: Int64 = 0
  }

  /// Milliseconds for which an address counts as known after a sign-in there.
  private static let homeTime: Int64 = 30 * 24 * 3_600_000
  /// How many attempts may wait for others of the same account and address.
  private static let maxWaiting = 128
  /// The largest number of windows for which failures at several servers are remembered.
  private static let maxWindows = 16

  private let settings: CallLimitSettings
  private let clock: Clock
  private let secret: [UInt8]
  private let notices: CommitNotices?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - secret: The installation's secret, from which hashes of accounts and addresses in notices are derived.
  ///   - notices: Notifies other servers; nil for a single server.
  init(_ settings: CallLimitSettings, clock: Clock, secret: [UInt8] = [], notices: CommitNotices? = nil) {
    self.settings = settings
    self.clock = clock
    self.secret = Secrets.key(for: "sign-in limits", from: secret)
    self.notices = notices
  }

  /// The hash of an account or an address.
  func hash(_ text: String) -> KeyHash { KeyHash(text, secret: secret) }

  /// Runs one attempt. Throws `E98` instead if the limit is reached; a failed sign-in of `body` counts.
  ///
  /// - Parameter isKnown: Whether the account was recently used at this address. If so, only its own failures there count.
  func run<Success: Sendable>(
    account email: String, address: String, isKnown: () async throws -> Bool, _ body: () async throws -> Success
  ) async throws -> Success {
    let key = SignInKey(account: hash(email), address: hash(address))
    if let refusal = tooManyByStrangers(key), try await !isKnown() { throw refusal }
    entering: while true {
      switch await entry(key) {
      case .admitted: break entering
      case .refused(let refusal): throw refusal
      case .again: continue
      }
    }
    do {
      let success = try await body()
      ended(key, failed: false, succeeded: true)
      return success
    } catch {
      ended(key, failed: (error as? Failure)?.isOfSignIn ?? false)
      throw error
    }
  }

  private func entry(_ key: SignInKey) async -> Entry {
    guard settings.signInFailures > 0 else {
      let now = clock.steady
      state.withLock { state in
        sweep(&state, now)
        count(1, of: key, in: &state, now)
      }
      return .admitted
    }
    return await withCheckedContinuation { continuation in
      let now = clock.steady
      let entry = state.withLock { state -> Entry? in
        sweep(&state, now)
        var tries = state.tries[key] ?? Tries(began: now)
        if tries.end(settings) <= now { (tries.began, tries.failures) = (now, 0) }
        let entry = enter(&tries, now)
        if entry == nil { tries.waiting.append(continuation) }
        if case .refused = entry {} else { state.tries[key] = tries }
        // Counted before it is known to fail, so that parallel attempts count like successive ones.
        if case .admitted = entry { count(1, of: key, in: &state, now) }
        return entry
      }
      if let entry { continuation.resume(returning: entry) }
    }
  }

  /// Nil if the attempt has to wait.
  private func enter(_ tries: inout Tries, _ now: Int64) -> Entry? {
    let limit = settings.signInFailures
    if tries.failures >= limit || tries.waiting.count >= Self.maxWaiting {
      return .refused(refusal("more than \(limit) failed sign-ins", until: tries.end(settings), now))
    }
    guard tries.failures + tries.underWay < limit else { return nil }
    tries.underWay += 1
    return .admitted
  }

  private func ended(_ key: SignInKey, failed: Bool, succeeded: Bool = false) {
    let now = clock.steady
    let waiting = state.withLock { state in
      if !failed { count(-1, of: key, in: &state, now) }
      if succeeded { state.homes[key] = now }
      guard var tries = state.tries[key] else { return [CheckedContinuation<Entry, Never>]() }
      tries.underWay -= 1
      if failed { tries.failures += 1 }
      let waiting = tries.waiting
      tries.waiting = []
      state.tries[key] = tries.failures + tries.underWay == 0 ? nil : tries
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: .again) }
    if failed { notices?.add { $0.failures[key, default: 0] += 1 } }
    if succeeded { notices?.add { $0.homes.insert(key) } }
  }

  /// Applies another server's notice of attempts there.
  func apply(_ notice: CommitNotices.Notice) {
    let limits = [settings.signInFailures, settings.signInFailuresAnywhere, settings.signInFailuresFromAddress]
    guard limits.contains(where: { $0 > 0 }) else { return }
    let now = clock.steady
    state.withLock { state in
      for (key, failures) in notice.failures {
        sweep(&state, now)
        var tries = state.tries[key] ?? Tries(began: now)
        if tries.end(settings) <= now { (tries.began, tries.failures) = (now, 0) }
        tries.failures += failures
        state.tries[key] = tries
        count(Double(failures), of: key, in: &state, now)
      }
      for key in notice.homes { state.homes[key] = now }
    }
  }

  private func count(_ change: Double, of key: SignInKey, in state: inout State, _ now: Int64) {
    func add(_ fading: inout Fading?, _ limit: Int) {
      guard limit > 0 else { return }
      fading = Fading(failures: max(0, left(fading, of: limit, now) + change), at: now)
    }
    add(&state.anywhere[key.account], settings.signInFailuresAnywhere)
    add(&state.addresses[key.address], settings.signInFailuresFromAddress)
  }

  /// Why an attempt exceeds a limit for unknown addresses; nil if it does not.
  private func tooManyByStrangers(_ key: SignInKey) -> Refusal? {
    let now = clock.steady
    let (ofAccount, fromAddress) = state.withLock { state -> (Fading?, Fading?) in
      let isHome = state.homes[key].map { now - $0 < Self.homeTime } ?? false
      return isHome ? (nil, nil) : (state.anywhere[key.account], state.addresses[key.address])
    }
    return refusal("of this account", ofAccount, settings.signInFailuresAnywhere, now)
      ?? refusal("from this address", fromAddress, settings.signInFailuresFromAddress, now)
  }

  private func refusal(_ whose: String, _ fading: Fading?, _ limit: Int, _ now: Int64) -> Refusal? {
    let failures = left(fading, of: limit, now)
    guard limit > 0, failures >= Double(limit) else { return nil }
    let pause = Int64((failures - Double(limit) + 1) * Double(settings.signInWindow) / Double(limit))
    return refusal("more than \(limit) failed sign-ins \(whose)", until: now + pause, now)
  }

  /// How many failures have not expired yet, with so many in a window.
  private func left(_ fading: Fading?, of limit: Int, _ now: Int64) -> Double {
    guard let fading else { return 0 }
    return max(0, fading.failures - Double(now - fading.at) * Double(limit) / Double(settings.signInWindow))
  }

  /// Removes expired entries. If too many are left, also removes the older half of the entries without waiting attempts.
  private func sweep(_ state: inout State, _ now: Int64) {
    let most = settings.maxCallers
    let largest = [state.tries.count, state.homes.count, state.anywhere.count, state.addresses.count].max() ?? 0
    guard now >= state.nextSweep || largest >= most else { return }
    state.nextSweep = now + settings.signInWindow
    state.tries = state.tries.filter { $0.value.underWay > 0 || $0.value.end(settings) > now }
    state.anywhere = state.anywhere.filter { left($0.value, of: settings.signInFailuresAnywhere, now) > 0 }
    state.addresses = state.addresses.filter { left($0.value, of: settings.signInFailuresFromAddress, now) > 0 }
    state.homes = state.homes.filter { now - $0.value < Self.homeTime }
    if state.homes.count >= most {
      let median = state.homes.values.sorted()[state.homes.count / 2]
      state.homes = state.homes.filter { $0.value > median }
    }
    guard state.tries.count >= most else { return }
    let median = state.tries.values.map(\.began).sorted()[state.tries.count / 2]
    state.tries = state.tries.filter { $0.value.underWay > 0 || $0.value.began > median }
  }

  private func refusal(_ text: String, until end: Int64, _ now: Int64) -> Refusal {
    Refusal(
      .tooManyCalls, "\(text) in \(settings.signInWindow / 1000) s", retryAfter: max(1, (end - now + 999) / 1000))
  }
}
