import MadangCore
import Synchronization

/// The state of other servers that this one calls: working, or failing since when. Unknown until the first call.
package final class Troubles: Sendable {
  struct Trouble {
    /// Milliseconds since 1970, as the other.
    var since: Int64
    /// When it last failed.
    var last: Int64
    /// The last reason.
    var reason: String
  }

  private enum State {
    case works
    case fails(Trouble)
  }

  private let states = Mutex<[AlarmKind: State]>([:])

  package init() {}

  package func worked(_ kind: AlarmKind) { states.withLock { $0[kind] = .works } }

  /// - Parameter now: Milliseconds since 1970; irrelevant if a single failure is reported.
  package func failed(_ kind: AlarmKind, because reason: String, now: Int64 = 0) {
    states.withLock { states in
      if case .fails(var trouble) = states[kind] {
        // After a pause longer than any between tries it is a new problem.
        if now - trouble.last > 2 * Madang.longestMailPause { trouble.since = now }
        (trouble.reason, trouble.last) = (reason, now)
        states[kind] = .fails(trouble)
      } else {
        states[kind] = .fails(Trouble(since: now, last: now, reason: reason))
      }
    }
  }

  /// Whether the last call failed.
  package func isFailing(_ kind: AlarmKind) -> Bool {
    if case .fails = states.withLock({ $0[kind] }) { true } else { false }
  }

  /// The reason to report; nil if the state is unknown or it has not failed for long enough.
  /// - Parameter patience: Milliseconds from the first failure to the last one.
  func finding(_ kind: AlarmKind, for patience: Int64 = 0, _ words: (Trouble) -> AlarmFinding)
    -> AlarmFinding?
  {
    switch states.withLock({ $0[kind] }) {
    case .works: .right
    case .fails(let trouble) where trouble.since <= trouble.last - patience: words(trouble)
    case .fails, nil: nil
    }
  }
}
