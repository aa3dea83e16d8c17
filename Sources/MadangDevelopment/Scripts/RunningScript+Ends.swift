import MadangAPI
import MadangCore
import Synchronization

extension RunningScript {
  /// Whether it runs and was not started again.
  func isAlive(_ starts: Int, _ state: borrowing State) -> Bool {
    state.starts == starts && state.phase == .running
  }

  func over(_ run: ScriptRun, _ problem: (any Error)?, in starts: Int) {
    let isLast = state.withLock { state in
      guard isAlive(starts, state) else { return true }
      if let problem { note(problem, run.number, run.step, run.person, &state) }
      finish(&state)
      return state.begun >= script.times
    }
    if case .start = script.trigger, !isLast { schedule(run.number + 1, in: starts) }
  }

  /// A run has ended.
  func finish(_ state: inout State) {
    state.done += 1
    if state.done == state.begun, state.begun >= script.times { state.phase = .ended }
    tell(&state)
  }

  /// The script cannot continue.
  func end(_ error: any Error, in starts: Int) async {
    note(error, in: starts)
    state.withLock { state in
      guard isAlive(starts, state) else { return }
      (state.phase, state.done) = (.ended, state.begun)
      tell(&state)
    }
  }

  func note(_ error: any Error, in starts: Int) {
    state.withLock { state in
      if isAlive(starts, state) { note(error, 0, nil, nil, &state) }
    }
  }

  func note(_ error: any Error, _ run: Int, _ step: Int?, _ person: String?, _ state: inout State) {
    state.failed += 1
    guard state.failures.count < Self.maxFailures else { return }
    let refused = error as? Refused
    state.failures.append(
      .init(
        run: run, step: step, person: person, code: refused?.code.rawValue,
        error: refused?.message ?? (error as? WorldError)?.description ?? "\(error)"))
  }

  // MARK: Waiting

  /// Returns when the script has ended, when this many runs have ended, or when the time is over.
  func wait(for runs: Int?, within time: Duration) async {
    guard time > .zero else { return }
    let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = continuation
      return state.lastWatcher
    }
    continuation.yield()
    await withTaskGroup { group in
      group.addTask { [self] in
        for await _ in changes where isOver(runs) { return }
      }
      group.addTask { try? await Task.sleep(for: time) }
      await group.next()
      group.cancelAll()
    }
    state.withLock { $0.watchers[number] = nil }
  }

  private func isOver(_ runs: Int?) -> Bool {
    state.withLock { state in
      if let runs, state.done >= runs { return true }
      return state.phase != .running
    }
  }

  func tell(_ state: inout State) {
    for watcher in state.watchers.values { watcher.yield() }
  }
}
