import MadangCore
import Synchronization
import Testing

@Suite("The clock", .timeLimit(.minutes(5)))
struct ClockTests {
  private final class Source: Sendable {
    let time = Atomic<Int64>(1_000_000)
    func pass(_ milliseconds: Int64) { time.add(milliseconds, ordering: .relaxed) }
    func makeClock() -> Clock {
      Clock({ self.time.load(ordering: .relaxed) }, steady: { self.time.load(ordering: .relaxed) - 999_000 })
    }
  }

  @Test("the clock follows time, can be advanced and stopped, and runs faster")
  func course() {
    let source = Source()
    let clock = source.makeClock()
    source.pass(5)
    #expect(clock.now == 1_000_005 && clock.steady == 1005)
    clock.advance(milliseconds: 100)
    source.pass(5)
    #expect(clock.now == 1_000_110 && clock.steady == 1110 && clock.advanced == 100)
    clock.run(at: 0)
    source.pass(1000)
    #expect(clock.now == 1_000_110 && clock.steady == 1110 && clock.rate == 0)
    clock.advance(milliseconds: 7)
    #expect(clock.now == 1_000_117)
    clock.run(at: 60)
    source.pass(2)
    #expect(clock.now == 1_000_237)
    clock.run(at: 1)
    source.pass(3)
    #expect(clock.now == 1_000_240)
  }

  @Test("setting the clock back changes the time of day, but not the clock of limits")
  func setBack() {
    let clock = Source().makeClock()
    clock.set(500)
    #expect(clock.now == 500 && clock.steady == 1000)
    clock.set(10_500)
    #expect(clock.now == 10_500 && clock.steady == 11_000)
  }

  @Test("the clock stops at the last time that dates can show")
  func end() {
    let source = Source()
    let clock = source.makeClock()
    clock.set(.max)
    #expect(clock.now == Clock.latest)
    clock.advance(milliseconds: .max)
    clock.run(at: Clock.fastest)
    source.pass(1_000_000_000)
    #expect(clock.now == Clock.latest)
    clock.set(.min)
    #expect(clock.now == 0)
  }

  @Test("the clock keeps running after it was set forward and back any number of times", .timeLimit(.minutes(5)))
  func forthAndBack() async throws {
    let source = Source()
    let clock = source.makeClock()
    // Each round adds about 8,000 years to the clocks that never go back; 36,398 rounds fill an `Int64`.
    for _ in 0..<40_000 {
      clock.set(Clock.latest)
      clock.set(0)
    }
    let steady = clock.steady
    source.pass(7)
    #expect(clock.steady == steady + 7 && clock.now == 7)
    clock.advance(milliseconds: .max)
    #expect(clock.steady == steady + 7 && clock.now == Clock.latest)
    // Sleeping still works, and no longer than requested.
    try await clock.sleep(for: .milliseconds(1))
    let never = clock.instant(after: .seconds(Int64.max)).advanced(byMilliseconds: .max)
    #expect(clock.instant(after: .seconds(1)) < never)
  }

  private final class Woken: Sendable {
    let flag = Atomic(false)
  }

  @Test("a sleeper wakes when the clock is advanced, not before, and never while it stands still")
  func sleep() async throws {
    let clock = Clock()
    clock.run(at: 0)
    let woken = Woken()
    let end = clock.instant(after: .seconds(3600))
    let sleeper = Task {
      try await clock.sleep(until: end)
      woken.flag.store(true, ordering: .relaxed)
    }
    clock.advance(milliseconds: 3_599_999)
    let wasWoken = woken.flag.load(ordering: .relaxed)
    #expect(!wasWoken)
    clock.advance(milliseconds: 1)
    try await sleeper.value
    let other = Task { try await clock.sleep(for: .seconds(3600)) }
    clock.run(at: Clock.fastest)
    try await other.value
  }

  @Test("no sleep is missed, even the shortest", .timeLimit(.minutes(5)))
  func shortSleeps() async throws {
    let clock = Clock()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask { for _ in 0..<200 { try await clock.sleep(for: .milliseconds(1)) } }
      }
      try await group.waitForAll()
    }
  }

  @Test("a sleep ends when its task is cancelled, even while the clock stands still")
  func cancelled() async throws {
    let clock = Clock()
    clock.run(at: 0)
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }
}
