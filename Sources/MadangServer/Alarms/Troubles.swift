import MadangCore
import Synchronization

/// What this server has seen of others: since when they fail, or that they work. It knows nothing of them until it has asked them.
final class Troubles: Sendable {
  struct Trouble {
    /// Milliseconds since 1970.
    let since: Int64
    /// Why, the last time.
    var reason: String
  }

  private enum State {
    case works
    case fails(Trouble)
  }

  private let states = Mutex<[AlarmKind: State]>([:])

  func worked(_ kind: AlarmKind) { states.withLock { $0[kind] = .works } }

  /// - Parameter now: Milliseconds since 1970; of no account where a single failure is told.
  func failed(_ kind: AlarmKind, because reason: String, now: Int64 = 0) {
    states.withLock { states in
      if case .fails(var trouble) = states[kind] {
        trouble.reason = reason
        states[kind] = .fails(trouble)
      } else {
        states[kind] = .fails(Trouble(since: now, reason: reason))
      }
    }
  }

  /// What administrators are to be told; nil if nothing is known, or it does not fail for long enough.
  /// - Parameter patience: Milliseconds.
  func finding(_ kind: AlarmKind, for patience: Int64 = 0, now: Int64, _ words: (Trouble) -> AlarmFinding)
    -> AlarmFinding?
  {
    switch states.withLock({ $0[kind] }) {
    case .works: .right
    case .fails(let trouble) where trouble.since <= now - patience: words(trouble)
    case .fails, nil: nil
    }
  }
}
