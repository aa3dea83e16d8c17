import MadangCore
import Synchronization

/// When sessions last showed an expired access token, and when that was last answered `E05`: what tells a client that meets
/// an expiry, or repeats a dead token, from one that refreshes for no reason (contract sections 8.3 and 8.4).
final class ExpiredTokens: Sendable {
  private struct Times {
    var shown: Int64
    var answered: Int64?
  }

  private let clock: Clock
  private let maxSessions: Int
  private let sessions = Mutex<[Int64: Times]>([:])

  /// - Parameter maxSessions: How many sessions are remembered; beyond it the older half is forgotten.
  init(clock: Clock, maxSessions: Int) {
    self.clock = clock
    self.maxSessions = maxSessions
  }

  /// A request showed an expired access token of the session.
  func shown(by session: Int64) {
    let now = clock.steady
    sessions.withLock { sessions in
      if sessions.count >= maxSessions, sessions[session] == nil {
        let median = sessions.values.map(\.shown).sorted()[sessions.count / 2]
        sessions = sessions.filter { $0.value.shown > median }
      }
      sessions[session, default: Times(shown: now)].shown = now
    }
  }

  /// That request is answered `E05`.
  func answered(_ session: Int64) {
    sessions.withLock { $0[session]?.answered = clock.steady }
  }

  /// Whether the session showed an expired token less than so many milliseconds ago.
  func wasShown(by session: Int64, within time: Int64) -> Bool {
    let now = clock.steady
    return sessions.withLock { $0[session].map { now - $0.shown < time } ?? false }
  }

  /// Whether it was answered `E05` at most so many milliseconds ago.
  func wasAnswered(_ session: Int64, within time: Int64) -> Bool {
    let now = clock.steady
    return sessions.withLock { $0[session]?.answered.map { now - $0 <= time } ?? false }
  }
}
