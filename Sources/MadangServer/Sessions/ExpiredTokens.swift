import MadangCore
import Synchronization

/// Remembers recent requests with expired access tokens, by session. So a client whose token has just expired can be
/// distinguished from a client that repeats an expired token or refreshes without need (wire contract, Refresh tokens;
/// Call limits).
///
/// For each `E05`, one refresh is not counted by the call limits, and edition 2024-01 allows one early refresh. If a
/// client refreshes and then repeats the same call with the expired token, that `E05` excuses no refresh. So a client
/// that does this in a loop reaches the limit.
final class ExpiredTokens: Sendable {
  /// A call that was answered `E05`.
  private struct Refused {
    let time: Int64
    /// The hash of the requested operation.
    let call: Int
    /// How often the session had refreshed by then.
    let refreshes: Int
    var excusesRefresh: Bool
    var allowsEarlyRefresh = true
  }

  private struct History {
    var shown: Int64
    var refreshes = 0
    /// Oldest first.
    var answers: [Refused] = []
  }

  private struct State {
    var sessions: [Int64: History] = [:]
    var nextSweep: Int64 = 0
  }

  /// How many `E05` answers are remembered for each session. It limits the refreshes that are not counted (wire contract,
  /// Call limits).
  private static let maxAnswers = 100
  /// Milliseconds for which an answer is remembered: the longest window of a limit.
  private let memory: Int64
  private let clock: Clock
  private let maxSessions: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - memory: Milliseconds after which an answer no longer counts.
  ///   - maxSessions: How many sessions are remembered; beyond it the older half is removed.
  init(clock: Clock, memory: Int64, maxSessions: Int) {
    (self.clock, self.memory, self.maxSessions) = (clock, memory, maxSessions)
  }

  /// Records a request with an expired access token of the session.
  func shown(by session: Int64) {
    let now = clock.steady
    state.withLock { state in
      makeRoom(in: &state, now)
      state.sessions[session, default: History(shown: now)].shown = now
    }
  }

  /// Records that the request was answered `E05`.
  func answered(_ session: Int64, to call: String) {
    let (now, call) = (clock.steady, call.hashValue)
    change(session) { history in
      history.answers.removeAll { now - $0.time > memory }
      let isRepeated = history.answers.contains { $0.call == call && $0.refreshes < history.refreshes }
      if history.answers.count == Self.maxAnswers { history.answers.removeFirst() }
      history.answers.append(
        Refused(time: now, call: call, refreshes: history.refreshes, excusesRefresh: !isRepeated))
    }
  }

  /// Records a refresh of the session.
  func refreshed(_ session: Int64) { change(session) { $0.refreshes += 1 } }

  /// Whether a recent `E05` excuses a refresh. Each `E05` excuses one.
  func takeExcuse(of session: Int64, within time: Int64) -> Bool { take(\.excusesRefresh, of: session, within: time) }

  /// Whether a recent `E05` allows an early refresh. Each `E05` allows one.
  func takeEarlyRefresh(of session: Int64, within time: Int64) -> Bool {
    take(\.allowsEarlyRefresh, of: session, within: time)
  }

  /// Whether the session sent an expired token within this many milliseconds.
  func wasShown(by session: Int64, within time: Int64) -> Bool {
    let now = clock.steady
    return state.withLock { $0.sessions[session].map { now - $0.shown < time } ?? false }
  }

  private func take(_ right: WritableKeyPath<Refused, Bool>, of session: Int64, within time: Int64) -> Bool {
    let now = clock.steady
    return change(session) { history in
      // The oldest first: it is the next to expire.
      let next = history.answers.firstIndex { now - $0.time <= time && $0[keyPath: right] }
      guard let next else { return false }
      history.answers[next][keyPath: right] = false
      return true
    } ?? false
  }

  @discardableResult
  private func change<Result>(_ session: Int64, _ body: (inout History) -> Result) -> Result? {
    state.withLock { state in
      guard let index = state.sessions.index(forKey: session) else { return nil }
      return body(&state.sessions.values[index])
    }
  }

  /// Removes sessions without recent requests, once per window or when there are too many sessions.
  private func makeRoom(in state: inout State, _ now: Int64) {
    guard now >= state.nextSweep || state.sessions.count >= maxSessions else { return }
    state.nextSweep = now + memory
    state.sessions = state.sessions.filter { now - $0.value.shown <= memory }
    guard state.sessions.count >= maxSessions else { return }
    let median = state.sessions.values.map(\.shown).sorted()[state.sessions.count / 2]
    state.sessions = state.sessions.filter { $0.value.shown > median }
  }
}
