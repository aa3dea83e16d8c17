import Foundation
import Synchronization

/// The time, in milliseconds since 1970 UTC. Development mode sets it, moves it on, stops it and makes it run faster or slower.
package final class Clock: Sendable {
  /// Moments of the three clocks that go together.
  private struct Moments {
    var wall: Int64
    var steady: Int64
    var timers: Int64
  }

  /// How the clock has run since it was changed last.
  private struct Course {
    /// What the sources said then.
    var since: Moments
    /// What the clock showed then.
    var shown: Moments
    /// How fast it runs; 1 for as fast as time passes, 0 while it stands still.
    var rate = 1.0

    func wall(_ now: Int64) -> Int64 { min(shown.wall + passed(now - since.wall), Clock.latest) }
    func steady(_ now: Int64) -> Int64 { shown.steady + passed(now - since.steady) }
    func timers(_ now: Int64) -> Int64 { shown.timers + passed(now - since.timers) }

    /// Has what waits, and what limits go by, come nearer by so much.
    mutating func moveOn(by step: Int64) {
      shown.steady += min(step, max(0, Clock.farthest - shown.steady))
      shown.timers += min(step, max(0, Clock.farthest - shown.timers))
    }

    private func passed(_ time: Int64) -> Int64 { rate == 1 ? time : Int64(Double(time) * rate) }
  }

  private struct State {
    var course: Course
    /// Those who wait for a moment of the timers, by number.
    var sleepers: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastSleeper = 0
    /// How often the course was changed.
    var changes = 0
  }

  private let source: @Sendable () -> Int64
  private let steadySource: @Sendable () -> Int64
  private let state: Mutex<State>

  /// The latest moment that it can be set to: the end of the year 9999.
  package static let latest: Int64 = 253_402_300_799_999
  /// How far what is never set back is moved on at most, however often the clock is set forth and back. From there it goes on
  /// as fast as the clock runs, for more than a million years until the end of `Int64`.
  private static let farthest: Int64 = 1 << 62
  /// The fastest that it can run.
  package static let fastest = 100_000.0

  /// - Parameters:
  ///   - source: Milliseconds since 1970.
  ///   - steady: Milliseconds of a clock that nobody sets.
  package init(
    _ source: @escaping @Sendable () -> Int64 = Clock.systemTime,
    steady: @escaping @Sendable () -> Int64 = Clock.steadyTime
  ) {
    self.source = source
    steadySource = steady
    let since = Moments(wall: source(), steady: steady(), timers: Clock.steadyTime())
    state = Mutex(State(course: Course(since: since, shown: since)))
  }

  package var now: Int64 { state.withLock { $0.course.wall(source()) } }

  /// Milliseconds of a clock that nobody sets back, for limits: when the time of day jumps, they go on. Development mode moves
  /// it on as well.
  package var steady: Int64 { state.withLock { $0.course.steady(steadySource()) } }

  /// By how many milliseconds it is ahead of time; negative where it is behind.
  package var advanced: Int64 { steady - steadySource() }

  /// How fast it runs; 0 while it stands still.
  package var rate: Double { state.withLock(\.course.rate) }

  /// Moves the clock on by `milliseconds`, which must not be negative: times already handed out stay in the past. It stops at
  /// ``latest``.
  package func advance(milliseconds: Int64) {
    precondition(milliseconds >= 0)
    change { course in
      let step = min(milliseconds, max(0, Self.latest - course.shown.wall))
      course.shown.wall += step
      course.moveOn(by: step)
    }
  }

  /// Sets the clock. What lies ahead comes at once, as with ``advance(milliseconds:)``; when it is set back, limits and what
  /// waits go on from where they are.
  package func set(_ moment: Int64) {
    let moment = min(max(moment, 0), Self.latest)
    change { course in
      let step = moment - course.shown.wall
      course.shown.wall = moment
      if step > 0 { course.moveOn(by: step) }
    }
  }

  /// Has the clock run so many times as fast as time passes; 0 stops it.
  package func run(at rate: Double) {
    precondition((0...Self.fastest).contains(rate))
    change { $0.rate = rate }
  }

  private func change(_ body: (inout Course) -> Void) {
    let sleepers = state.withLock { state in
      let now = Moments(wall: source(), steady: steadySource(), timers: Self.steadyTime())
      let course = state.course
      state.course.shown = Moments(
        wall: course.wall(now.wall), steady: course.steady(now.steady), timers: course.timers(now.timers))
      state.course.since = now
      body(&state.course)
      state.changes += 1
      defer { state.sleepers = [:] }
      return state.sleepers.values
    }
    for sleeper in sleepers { sleeper.resume() }
  }

  package static let systemTime: @Sendable () -> Int64 = { milliseconds(CLOCK_REALTIME) }
  package static let steadyTime: @Sendable () -> Int64 = { milliseconds(CLOCK_MONOTONIC) }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

// MARK: - Waiting

extension Clock {
  /// A moment of this clock's timers, in milliseconds. They run as fast as the clock does, and are moved on with it.
  package struct Instant: Comparable, Sendable {
    fileprivate let milliseconds: Int64

    package static func < (one: Instant, other: Instant) -> Bool { one.milliseconds < other.milliseconds }

    /// The moment so much later, which must not be negative. One beyond the end of `Int64` never comes.
    package func advanced(byMilliseconds step: Int64) -> Instant {
      let (sum, overflows) = milliseconds.addingReportingOverflow(step)
      return Instant(milliseconds: overflows ? .max : sum)
    }
  }

  /// The moment so much later; see ``Instant/advanced(byMilliseconds:)``.
  package func instant(after duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    return Instant(milliseconds: timers).advanced(byMilliseconds: overflows ? .max : milliseconds)
      .advanced(byMilliseconds: attoseconds / 1_000_000_000_000_000)
  }

  private var timers: Int64 { state.withLock { $0.course.timers(Self.steadyTime()) } }

  /// Waits as long as this clock says: moving it on ends the wait earlier, and while it stands still the wait does not end.
  /// Throws `CancellationError`.
  package func sleep(for duration: Duration) async throws { try await sleep(until: instant(after: duration)) }

  /// The same until a moment.
  package func sleep(until end: Instant) async throws {
    while true {
      try Task.checkCancellation()
      let (left, rate, changes) = state.withLock { state in
        (end.milliseconds - state.course.timers(Self.steadyTime()), state.course.rate, state.changes)
      }
      guard left > 0 else { return }
      await change(after: changes, within: rate > 0 ? min(Double(left) / rate, Self.longestWait) : nil)
    }
  }

  /// In milliseconds of real time; then it is looked at again.
  private static var longestWait: Double { 3_600_000 }

  /// Returns when the clock has been changed more often, when so many milliseconds have passed, or when the task is cancelled.
  private func change(after changes: Int, within milliseconds: Double?) async {
    let number = state.withLock { state in
      state.lastSleeper += 1
      return state.lastSleeper
    }
    var alarm: Task<Void, any Error>?
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          if state.changes > changes || Task.isCancelled { return true }
          state.sleepers[number] = continuation
          return false
        }
        guard !isDue else { return continuation.resume() }
        // Not before: it would wake nobody, and the sleeper would sleep for good.
        alarm = milliseconds.map { milliseconds in
          Task {
            try await Task.sleep(for: .milliseconds(milliseconds.rounded(.up)))
            wake(number)
          }
        }
      }
    } onCancel: {
      wake(number)
    }
    alarm?.cancel()
  }

  private func wake(_ number: Int) {
    state.withLock { $0.sleepers.removeValue(forKey: number) }?.resume()
  }
}
