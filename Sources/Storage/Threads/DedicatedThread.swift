import Foundation
import Synchronization

/// A thread of our own, for calls that block: the cooperative pool and the event loops have none to spare.
final class DedicatedThread: Sendable {
  private struct State {
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  init(name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread { [self] in
      body()
      let waiters = state.withLock { state in
        state.hasEnded = true
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
    thread.name = name
    thread.start()
  }

  /// Waits until the body has returned.
  func join() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiters.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}
