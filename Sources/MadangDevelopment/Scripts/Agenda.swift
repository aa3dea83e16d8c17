import MadangCore
import Synchronization

/// What people do by themselves, one thing after the other, each when the clock says so. Of what is due at the same moment chats
/// are heard first, then scripts go in the order in which they were added, and their runs by number: so all goes the same way
/// each time, also when much is due at once because a clock was moved on.
final class Agenda: Sendable {
  typealias Act = @Sendable () async -> Void

  /// One start of a script.
  struct Owner: Hashable {
    let script: Int
    let start: Int
  }

  private struct Item {
    let due: MadangCore.Clock.Instant
    /// Nil for a chat that is to be heard.
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
    /// Who wait until the current one is done.
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// Until the next one is due.
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

  /// The moment at which what is done now was due; else what the clock shows. What follows is counted from here, however late
  /// it is noticed that a clock was moved on.
  var now: MadangCore.Clock.Instant { state.withLock { $0.current?.due } ?? clock.instant(after: .zero) }

  /// - Parameters:
  ///   - due: Nil for now.
  ///   - owner: Whose it is; nil for a chat that is to be heard.
  ///   - run: The number of the owner's run, from 1.
  func add(_ due: MadangCore.Clock.Instant? = nil, for owner: Owner? = nil, run: Int = 0, _ act: @escaping Act) {
    let due = due ?? now
    state.withLock { state in
      state.last += 1
      state.insert(Item(due: due, owner: owner, run: run, number: state.last, act: act))
    }
    drive()
  }

  /// Forgets what an owner was to do, who adds nothing more besides. Returns when what it does now is done.
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

  /// Nothing begins while `body` adds what is to be done.
  func hold<Result>(_ body: () -> Result) -> Result {
    state.withLock { $0.holds += 1 }
    defer {
      state.withLock { $0.holds -= 1 }
      drive()
    }
    return body()
  }

  // MARK: Doing

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
    // Unstructured: it ends when there is nothing to do any more.
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
