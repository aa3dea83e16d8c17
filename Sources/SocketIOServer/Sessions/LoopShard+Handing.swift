import DequeModule
import NIOCore
import Synchronization

/// Work for sockets that any thread can queue for an event loop.
struct HandedWork {
  fileprivate var waiting: Deque<LoopShard.Work> = []
  fileprivate var isScheduled = false
}

/// Operations on sockets run in the order in which they were requested: at once for callers on the event loop, later for others.
extension LoopShard {
  /// Changes sockets or sends to them. The only application code that it calls is `onAnyOutgoing`.
  typealias Work = @Sendable (LoopShard) -> Void

  /// Whether the caller is on the loop and no event is being delivered. If so, work runs at once.
  var actsAtOnce: Bool { loop.inEventLoop && !isDelivering }

  /// Runs work at once if the caller is on the loop, after all work that was queued before. Otherwise queues it.
  ///
  /// - Parameter overtaking: Whether it runs before the queued work.
  func act(overtaking: Bool = false, _ work: @escaping Work) {
    guard actsAtOnce else { return hand(work) }
    if !overtaking { catchUp() }
    perform(work)
  }

  /// Queues work for the loop, even if called on it.
  ///
  /// - Parameter isAwaited: Whether the caller is on the loop and calls `catchUp` next.
  func hand(isAwaited: Bool = false, _ work: @escaping Work) {
    let schedules = handedWork.withLock { state in
      state.waiting.append(work)
      handedCount.wrappingAdd(1, ordering: .releasing)
      guard !isAwaited, !state.isScheduled else { return false }
      state.isScheduled = true
      return true
    }
    if schedules { loop.execute { self.takeHanded() } }
  }

  private func takeHanded() {
    handedWork.withLock { $0.isScheduled = false }
    catchUp()
  }

  /// Runs all work that was queued until now. Called on the loop. Does nothing if queued work calls it.
  func catchUp() {
    let last = handedCount.load(ordering: .acquiring)
    guard performedCount < last, !isDelivering else { return }
    while performedCount < last, let work = handedWork.withLock({ $0.waiting.popFirst() }) {
      performedCount += 1
      perform(work)
    }
  }

  private func perform(_ work: Work) {
    // If an `onAnyOutgoing` listener emits an event now, it is queued and sent after the current one.
    isDelivering = true
    work(self)
    isDelivering = false
  }
}
