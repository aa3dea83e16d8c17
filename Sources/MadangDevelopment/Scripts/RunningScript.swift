import MadangAPI
import MadangCore
import MadangServer
import Synchronization

/// A script with its state since its start.
final class RunningScript: Sendable {
  /// The largest number of parallel runs; a further one is a failure.
  static let maxUnderWay = 200
  /// How many failures are kept.
  static let maxFailures = 20

  struct State {
    var phase = ScriptReport.State.ready
    /// How often it was started. Runs of an earlier start change nothing.
    var starts = 0
    /// Runs that have begun, and runs that have ended.
    var begun = 0
    var done = 0
    var failed = 0
    var failures: [ScriptReport.Problem] = []
    var cast: [String]?
    var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastWatcher = 0
  }

  let script: Script
  /// In the order in which scripts were added, from 1.
  private let number: Int
  private let agenda: Agenda
  private let people: People
  /// Looked up once: each chat is compared with them.
  private let actors: [String]
  let state = Mutex(State())

  init(_ script: Script, number: Int, agenda: Agenda, people: People) {
    (self.script, self.number, self.agenda, self.people) = (script, number, agenda, people)
    actors = script.actors
  }

  var hearsChats: Bool { if case .chat = script.trigger { true } else { false } }

  var report: ScriptReport { state.withLock { report($0) } }

  private func report(_ state: borrowing State) -> ScriptReport {
    ScriptReport(
      name: script.name, state: state.phase, runs: state.done, underWay: state.begun - state.done,
      failed: state.failed, failures: state.failures)
  }

  // MARK: Starting and stopping

  /// Its state before the first run; nil if it already runs.
  func start() -> ScriptReport? {
    let started = state.withLock { state -> (Int, ScriptReport)? in
      guard state.phase != .running else { return nil }
      var next = State()
      (next.phase, next.starts, next.watchers, next.lastWatcher) =
        (.running, state.starts + 1, state.watchers, state.lastWatcher)
      state = next
      return (next.starts, report(next))
    }
    guard let (starts, report) = started else { return nil }
    switch script.trigger {
    case .chat: break
    case .start: schedule(1, in: starts)
    case .rate: schedule(1, at: agenda.now, in: starts)
    }
    return report
  }

  /// Ends it and its runs. Returns when the current step is done.
  func stop() async {
    let starts = state.withLock { state in
      if state.phase == .running { (state.phase, state.done) = (.stopped, state.begun) }
      return state.starts
    }
    await agenda.remove(owner(starts))
    state.withLock { tell(&$0) }
  }

  private func owner(_ starts: Int) -> Agenda.Owner { Agenda.Owner(script: number, start: starts) }

  // MARK: Runs

  /// Schedules the run of this number.
  /// - Parameter due: With a rate: its time. The next run begins one interval later.
  func schedule(_ number: Int, at due: MadangCore.Clock.Instant? = nil, in starts: Int) {
    agenda.add(due, for: owner(starts), run: number) { [self] in
      guard state.withLock({ isAlive(starts, $0) }) else { return }
      if case .rate(let rate) = script.trigger, let due, number < script.times {
        let pause = rate.moment(ofRun: number + 1) - rate.moment(ofRun: number)
        schedule(number + 1, at: due.advanced(byMilliseconds: pause), in: starts)
      }
      do {
        let cast = try await cast(starts)
        if let run = begin(for: nil, cast, in: starts) { await proceed(run, in: starts) }
      } catch {
        await end(error, in: starts)
      }
    }
  }

  /// Begins a run for a matching chat.
  func hear(_ chat: Chat) async {
    guard case .chat(let pattern) = script.trigger else { return }
    let (starts, isRunning) = state.withLock { ($0.starts, $0.phase == .running) }
    guard isRunning else { return }
    do {
      let cast = try await cast(starts)
      guard try await pattern.matches(chat, besides: actors + cast, people),
        let run = begin(for: chat, cast, in: starts)
      else { return }
      agenda.add(for: owner(starts), run: run.number) { [self] in await proceed(run, in: starts) }
    } catch {
      note(error, in: starts)
    }
  }

  /// A chat was skipped because too many were waiting.
  func missed(_ chat: Chat) {
    guard hearsChats else { return }
    note(
      WorldError("too many chats at once: one was skipped"),
      in: state.withLock { $0.phase == .running ? $0.starts : 0 })
  }

  /// The people who act in turn; looked up once.
  private func cast(_ starts: Int) async throws -> [String] {
    switch script.cast {
    case nil: return []
    case .named(let names): return names
    case .everybody:
      if let known = state.withLock(\.cast) { return known }
      let everybody = try await people.server().answering {
        try await $0.peopleWithWorkspaces(after: 0, limit: 10_000).map(\.person.email)
      }
      state.withLock { if $0.starts == starts { $0.cast = everybody } }
      return everybody
    }
  }

  private func begin(for chat: Chat?, _ cast: [String], in starts: Int) -> ScriptRun? {
    state.withLock { state in
      guard isAlive(starts, state), state.begun < script.times else { return nil }
      state.begun += 1
      let number = state.begun
      guard number - state.done <= Self.maxUnderWay else {
        note(WorldError("already \(Self.maxUnderWay) runs of the script at once"), number, nil, nil, &state)
        finish(&state)
        return nil
      }
      let actor = cast.isEmpty ? nil : cast[(number - 1) % cast.count]
      return ScriptRun(script: script, number: number, chat: chat, actor: actor)
    }
  }

  /// Performs the steps of a run up to the next pause or its end.
  private func proceed(_ run: ScriptRun, in starts: Int) async {
    var run = run
    while true {
      guard state.withLock({ isAlive(starts, $0) }) else { return }
      do {
        switch try await run.next(people) {
        case .goesOn: continue
        case .waits(let time):
          let due = agenda.now.advanced(byMilliseconds: time)
          return agenda.add(due, for: owner(starts), run: run.number) { [self, run] in await proceed(run, in: starts) }
        case .isOver: break
        }
        over(run, nil, in: starts)
      } catch {
        over(run, error, in: starts)
      }
      return
    }
  }
}
