import MadangCore
import MadangOperations
import Synchronization

extension CallLimits {
  /// Counts an account that a client at an address is about to create. Throws `E98` without counting if it exceeds the
  /// limit.
  func takeSignUp(from address: KeyHash) throws(Refusal) {
    guard settings.requests > 0 else { return }
    let now = clock.steady
    let excess = state.withLock { state in
      makeRoom(in: &state, now: now)
      let excess = add(.signUps(from: address), upTo: settings.signUps, to: &state, now)
      if excess != nil { state.windows[.signUps(from: address)]?.count -= 1 }
      return excess
    }
    if let excess { throw refusal(excess, now) }
  }

  /// Counts one account less: it was not made.
  func giveBackSignUp(from address: KeyHash) {
    state.withLock { state in
      guard let count = state.windows[.signUps(from: address)]?.count, count > 0 else { return }
      state.windows[.signUps(from: address)]?.count = count - 1
    }
  }
}
