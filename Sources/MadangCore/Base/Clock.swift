import Foundation
import Synchronization

/// The time in milliseconds since 1970 UTC. Development mode can set, advance, stop, speed up and slow down this clock.
package final class Clock: Sendable {
  /// A reading of the three clocks that run together.
  private struct Moments {
    var wall: Int64
    var steady: Int64
    var timers: Int64
  }

  /// How the clock has run since its last change.
  private struct Course {
    /// What the sources showed at the change.
    var since: Moments
    /// What the clock showed at the change.
    var shown: Moments
    /// The speed: 1 is real time, 0 stands still.
    var rate = 1.0

    func wall(_ now: Int64) -> Int64 { min(shown.wall + passed(now - since.wall), Clock.latest) }
    func steady(_ now: Int64) -> Int64 { shown.steady + passed(now - since.steady) }
    func timers(_ now: Int64) -> Int64 { shown.timers + passed(now - since.timers) }

    /// Advances the clocks of limits and timers.
    mutating func moveOn(by step: Int64) {
      shown.steady += min(step, max(0, Clock.farthest - shown.steady))
      shown.timers += min(step, max(0, Clock.farthest - shown.timers))
    }

    private func passed(_ time: Int64) -> Int64 { rate == 1 ? time : Int64(Double(time) * rate) }
  }

  private struct State {
    var course: Course
    /// Tasks that sleep until a change, by number.
    var sleepers: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastSleeper = 0
    /// How often the course was changed.
    var changes = 0
  }

  private let source: @Sendable () -> Int64
  private let steadySource: @Sendable () -> Int64
  private let state: Mutex<State>

  /// The latest time that can be set: the end of the year 9999.
  package static let latest: Int64 = 253_402_300_799_999
  /// How far the clocks that never go back can be advanced, however often the clock is set. From there they run on at the clock's speed,
  /// for more than a million years until the end of `Int64`.
  private static let farthest: Int64 = 1 << 62
  /// The highest speed.
  package static let fastest = 100_000.0

  /// - Parameters:
  ///   - source: Milliseconds since 1970.
  ///   - steady: Milliseconds of a monotonic clock.
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

  /// Milliseconds of a monotonic clock, for limits: it goes on when the time of day jumps. Development mode can advance it.
  package var steady: Int64 { state.withLock { $0.course.steady(steadySource()) } }

  /// How far the clock is ahead of real time, in milliseconds; negative if it is behind.
  package var advanced: Int64 { steady - steadySource() }

  /// The speed of the clock; 0 while it stands still.
  package var rate: Double { state.withLock(\.course.rate) }

  /// Advances the clock by `milliseconds`, which must not be negative, so that times that were returned before stay in the past. Stops at
  /// ``latest``.
  package func advance(milliseconds: Int64) {
    precondition(milliseconds >= 0)
    change { course in
      let step = min(milliseconds, max(0, Self.latest - course.shown.wall))
      course.shown.wall += step
      course.moveOn(by: step)
    }
  }

  /// Sets the clock. Setting it forward works like ``advance(milliseconds:)``. Setting it back leaves limits and timers where they are.
  package func set(_ moment: Int64) {
    let moment = min(max(moment, 0), Self.latest)
    change { course in
      let step = moment - course.shown.wall
      course.shown.wall = moment
      if step > 0 { course.moveOn(by: step) }
    }
  }

  /// Sets the speed of the clock as a multiple of real time; 0 stops it.
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
  /// A point in time for timers, in milliseconds. Timers run at the clock's speed and are advanced with it.
  package struct Instant: Comparable, Sendable {
    fileprivate let milliseconds: Int64

    package static func < (one: Instant, other: Instant) -> Bool { one.milliseconds < other.milliseconds }

    /// The instant `step` milliseconds later; `step` must not be negative. An instant beyond the end of `Int64` is never reached.
    package func advanced(byMilliseconds step: Int64) -> Instant {
      let (sum, overflows) = milliseconds.addingReportingOverflow(step)
      return Instant(milliseconds: overflows ? .max : sum)
    }
  }

  /// The instant `duration` from now; see ``Instant/advanced(byMilliseconds:)``.
  package func instant(after duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    return Instant(milliseconds: timers).advanced(byMilliseconds: overflows ? .max : milliseconds)
      .advanced(byMilliseconds: attoseconds / 1_000_000_000_000_000)
  }

  private var timers: Int64 { state.withLock { $0.course.timers(Self.steadyTime()) } }

  /// Waits for a duration on this clock. Advancing the clock shortens the wait; while the clock stands still, the wait does not end. Throws
  /// `CancellationError`.
  package func sleep(for duration: Duration) async throws { try await sleep(until: instant(after: duration)) }

  /// Waits until an instant on this clock. Throws `CancellationError`.
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

  /// The longest sleep before the clock is read again, in milliseconds of real time.
  private static var longestWait: Double { 3_600_000 }

  /// Returns when the clock has changed more than `changes` times, when the time has passed, or when the task is cancelled.
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
        // Started only after the sleeper is registered: an earlier alarm would wake no sleeper, and this one would sleep forever.
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
