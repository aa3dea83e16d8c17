import MadangCore
import Synchronization

/// The steps that scripts perform one after the other, each at its time on the clock. At equal times, chats are examined
/// first, then scripts in the order of their creation, then runs by number. So the order is the same each time, also when a
/// clock was advanced and many steps are due at once.
final class Agenda: Sendable {
  typealias Act = @Sendable () async -> Void

  /// One start of a script.
  struct Owner: Hashable {
    let script: Int
    let start: Int
  }

  private struct Item {
    let due: MadangCore.Clock.Instant
    /// Nil for a chat to be examined.
    let owner: Owner?
    let run: Int
    let number: Int
    let act: Act

    func isBefore(_ other: Item) -> Bool {
      guard due == other.due else { return due < other.due }
      return (owner?.script ?? 0, run, number) < (other.owner?.script ?? 0, other.run, other.number)
    }
  }

  private struct State {
    /// The next one is the last.
    var items: [Item] = []
    var last = 0
    var current: Item?
    /// Callers that wait until the current step is done.
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The wait until the next step is due.
    var sleep: Task<Void, any Error>?
    var isDriven = false
    var holds = 0

    mutating func insert(_ item: Item) {
      var (low, high) = (0, items.count)
      while low < high {
        let middle = (low + high) / 2
        if item.isBefore(items[middle]) { low = middle + 1 } else { high = middle }
      }
      items.insert(item, at: low)
      sleep?.cancel()
    }
  }

  private let clock: MadangCore.Clock
  private let state = Mutex(State())

  init(clock: MadangCore.Clock) { self.clock = clock }

  /// The moment at which the current step was due; otherwise the clock's time. Later steps count from here, even if a clock
  /// change is noticed late.
  var now: MadangCore.Clock.Instant { state.withLock { $0.current?.due } ?? clock.instant(after: .zero) }

  /// - Parameters:
  ///   - due: Nil for now.
  ///   - owner: The script; nil for a chat to be examined.
  ///   - run: The number of the owner's run, from 1.
  func add(_ due: MadangCore.Clock.Instant? = nil, for owner: Owner? = nil, run: Int = 0, _ act: @escaping Act) {
    let due = due ?? now
    state.withLock { state in
      state.last += 1
      state.insert(Item(due: due, owner: owner, run: run, number: state.last, act: act))
    }
    drive()
  }

  /// Removes the steps of an owner, which adds no more. Returns when its current step is done.
  func remove(_ owner: Owner) async {
    await withCheckedContinuation { continuation in
      let isBusy = state.withLock { state in
        guard state.current?.owner == owner else { return false }
        state.waiting.append(continuation)
        return true
      }
      if !isBusy { continuation.resume() }
    }
    state.withLock { state in
      state.items.removeAll { $0.owner == owner }
      state.sleep?.cancel()
    }
  }

  /// No step begins while `body` adds steps.
  func hold<Result>(_ body: () -> Result) -> Result {
    state.withLock { $0.holds += 1 }
    defer {
      state.withLock { $0.holds -= 1 }
      drive()
    }
    return body()
  }

  // MARK: Running acts

  private enum Next {
    case act(Act)
    case sleep(Task<Void, any Error>)
    case rest
  }

  private func drive() {
    let begins = state.withLock { state in
      guard !state.isDriven, state.holds == 0, !state.items.isEmpty else { return false }
      state.isDriven = true
      return true
    }
    guard begins else { return }
    // Unstructured: it ends when no steps are left.
    Task {
      while true {
        switch next() {
        case .act(let act): await act()
        case .sleep(let sleep): _ = await sleep.result
        case .rest: return
        }
      }
    }
  }

  private func next() -> Next {
    let (next, waiting): (Next, [CheckedContinuation<Void, Never>]) = state.withLock { state in
      defer { state.waiting = [] }
      state.current = nil
      guard state.holds == 0, let item = state.items.last else {
        state.isDriven = false
        return (.rest, state.waiting)
      }
      guard item.due <= clock.instant(after: .zero) else {
        let sleep = Task { [clock] in try await clock.sleep(until: item.due) }
        state.sleep = sleep
        return (.sleep(sleep), state.waiting)
      }
      state.items.removeLast()
      state.current = item
      return (.act(item.act), state.waiting)
    }
    for one in waiting { one.resume() }
    return next
  }
}
