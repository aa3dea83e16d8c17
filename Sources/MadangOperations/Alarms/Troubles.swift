import MadangCore
import Synchronization

/// What this server has seen of others: since when they fail, or that they work. It knows nothing of them until it has asked them.
package final class Troubles: Sendable {
  struct Trouble {
    /// Milliseconds since 1970, as the other.
    var since: Int64
    /// When it failed last.
    var last: Int64
    /// Why, the last time.
    var reason: String
  }

  private enum State {
    case works
    case fails(Trouble)
  }

  private let states = Mutex<[AlarmKind: State]>([:])

  package init() {}

  package func worked(_ kind: AlarmKind) { states.withLock { $0[kind] = .works } }

  /// - Parameter now: Milliseconds since 1970; of no account where a single failure is told.
  package func failed(_ kind: AlarmKind, because reason: String, now: Int64 = 0) {
    states.withLock { states in
      if case .fails(var trouble) = states[kind] {
        // After a pause that is longer than any between tries it is another trouble.
        if now - trouble.last > 2 * Madang.longestMailPause { trouble.since = now }
        (trouble.reason, trouble.last) = (reason, now)
        states[kind] = .fails(trouble)
      } else {
        states[kind] = .fails(Trouble(since: now, last: now, reason: reason))
      }
    }
  }

  /// What administrators are to be told; nil if nothing is known, or it did not fail again and again for long enough.
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
