import MadangCore
import Synchronization

/// Connects that wait for admission: clients connect while the call that admits them is still in progress.
final class HeldConnects: Sendable {
  /// The events that a connect may wait for.
  enum Key: Hashable, Sendable {
    /// The account becomes a member.
    case user(Int64)
    /// An account is seen at the address.
    case address(KeyHash)
    /// Any account becomes a member.
    case anybody
  }

  /// One waiting connect.
  final class Wait: Sendable {
    fileprivate struct State {
      var keys: Set<Key> = []
      var rings = 0
      var isOver = false
      var waiting: CheckedContinuation<Void, Never>?
    }

    fileprivate let state = Mutex(State())

    /// How many of its events have happened.
    var rings: Int { state.withLock(\.rings) }

    fileprivate func wake(_ change: (inout State) -> Void) {
      let waiting = state.withLock { state in
        change(&state)
        defer { state.waiting = nil }
        return state.waiting
      }
      waiting?.resume()
    }
  }

  private struct State {
    var waits: [Key: [ObjectIdentifier: Wait]] = [:]
    var isOver = false
  }

  private let state = Mutex(State())
  private let ledger: Ledger
  private let clock: Clock

  /// - Parameter ledger: Limits the waiting connects of one address and of all.
  init(_ ledger: Ledger, clock: Clock) { (self.ledger, self.clock) = (ledger, clock) }

  /// Runs `body` with a wait that counts events from its beginning; nil, without running it, if too many are waiting.
  func hold<Outcome>(for network: String, _ body: (Wait) async throws -> Outcome) async rethrows -> Outcome? {
    let (wait, caller) = (Wait(), KeyHash(network))
    guard ledger.take(.heldConnects, for: caller) else { return nil }
    defer {
      forget(wait)
      ledger.giveBack(.heldConnects, for: caller)
    }
    return try await body(wait)
  }

  private func forget(_ wait: Wait) {
    let keys = wait.state.withLock(\.keys)
    state.withLock { state in
      for key in keys {
        state.waits[key]?[ObjectIdentifier(wait)] = nil
        if state.waits[key]?.isEmpty ?? false { state.waits[key] = nil }
      }
    }
  }

  /// Adds an event to wait for. False if it was already added.
  func extend(_ wait: Wait, for key: Key) -> Bool {
    guard wait.state.withLock({ $0.keys.insert(key).inserted }) else { return false }
    let isOver = state.withLock { state in
      state.waits[key, default: [:]][ObjectIdentifier(wait)] = wait
      return state.isOver
    }
    if isOver { wait.wake { $0.isOver = true } }
    return true
  }

  /// Waits until more than `rings` events have happened. False if its time ends first, or the task is cancelled.
  func next(_ wait: Wait, after rings: Int, until deadline: Clock.Instant) async -> Bool {
    let alarm = Task {
      try await clock.sleep(until: deadline)
      wait.wake { $0.isOver = true }
    }
    defer { alarm.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = wait.state.withLock { state in
          if state.rings > rings || state.isOver { return true }
          state.waiting = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      wait.wake { $0.isOver = true }
    }
    return wait.state.withLock { $0.rings > rings && !$0.isOver }
  }

  /// Reports an event that may admit connects. Returns at once.
  func ring(_ key: Key) {
    for wait in state.withLock({ Array(($0.waits[key] ?? [:]).values) }) { wait.wake { $0.rings += 1 } }
  }

  /// Reports that any event may have happened. Returns at once.
  func ringAll() {
    for wait in all { wait.wake { $0.rings += 1 } }
  }

  /// Ends the waiting of all connects, also later ones. Returns at once.
  func endAll() {
    state.withLock { $0.isOver = true }
    for wait in all { wait.wake { $0.isOver = true } }
  }

  private var all: [Wait] { state.withLock { $0.waits.values.flatMap(\.values) } }
}
