import DequeModule
import Synchronization

/// Payloads that wait for the listener's thread; adding one wakes it.
final class NotificationOutbox: Sendable {
  private struct State {
    var payloads = Deque<String>()
    /// The same payloads, to find equal ones.
    var waiting: Set<String> = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let limit: Int
  private let wakeUp: WakeUp

  init(limit: Int, _ wakeUp: WakeUp) {
    self.limit = limit
    self.wakeUp = wakeUp
  }

  func put(_ payload: String) {
    let isNew = state.withLock { state in
      guard !state.isClosed, state.waiting.insert(payload).inserted else { return false }
      state.payloads.append(payload)
      if state.payloads.count > limit, let oldest = state.payloads.popFirst() { state.waiting.remove(oldest) }
      return true
    }
    if isNew { wakeUp.signal() }
  }

  func take(upTo count: Int) -> [String] {
    state.withLock { state in
      let taken = Array(state.payloads.prefix(count))
      state.payloads.removeFirst(taken.count)
      state.waiting.subtract(taken)
      return taken
    }
  }

  func close() {
    state.withLock { $0.isClosed = true }
    wakeUp.signal()
  }

  var isClosed: Bool { state.withLock(\.isClosed) }
}
