import DequeModule
import NIOCore
import Synchronization

/// Work for sockets that any thread hands to an event loop.
struct HandedWork {
  fileprivate var waiting: Deque<LoopShard.Work> = []
  fileprivate var isScheduled = false
}

/// What is done to sockets happens in the order in which it was asked for: at once for callers on the event loop, later for others.
extension LoopShard {
  /// Changes or feeds sockets. It calls the application for `onAnyOutgoing` only.
  typealias Work = @Sendable (LoopShard) -> Void

  /// Whether the caller is on the loop, and no event is being delivered. If so, work is done at once.
  var actsAtOnce: Bool { loop.inEventLoop && !isDelivering }

  /// Does work at once if the caller is on the loop, behind all that was handed over before. Otherwise the loop does it later.
  ///
  /// - Parameter overtaking: Whether it comes before what was handed over.
  func act(overtaking: Bool = false, _ work: @escaping Work) {
    guard actsAtOnce else { return hand(work) }
    if !overtaking { catchUp() }
    perform(work)
  }

  /// Leaves work for the loop, also when called on it.
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

  /// Does all work that was handed over until now. Called on the loop; does nothing amid a delivery, which is such work itself.
  func catchUp() {
    let last = handedCount.load(ordering: .acquiring)
    guard performedCount < last, !isDelivering else { return }
    while performedCount < last, let work = handedWork.withLock({ $0.waiting.popFirst() }) {
      performedCount += 1
      perform(work)
    }
  }

  private func perform(_ work: Work) {
    // A listener to outgoing events may emit: that comes behind the event it sees.
    isDelivering = true
    work(self)
    isDelivering = false
  }
}
