import Foundation
import MadangCore
import MadangDevelopment

/// The clock of a world. It determines when tokens expire, the dates of chats, rate limits and timers.
public struct MadangClock: Sendable {
  let clock: MadangCore.Clock

  public var now: Date { Date(timeIntervalSince1970: Double(clock.now) / 1000) }

  /// How fast it runs compared with real time; 0 while it is stopped.
  public var rate: Double { clock.rate }

  /// Moves it forward. Timers that become due fire at once. A negative duration does nothing.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    clock.advance(milliseconds: max(0, overflows ? .max / 2 : milliseconds + attoseconds / 1_000_000_000_000_000))
  }

  /// Moves it forward by a length of time such as `"25h"`, 1,000,000,000 seconds at most. Timers that become due fire at once.
  /// - Throws: ``MadangTestingError`` for text in a wrong notation.
  public func advance(by time: String) throws {
    advance(by: try MadangTime(time).duration(of: "by", limit: MadangCore.Clock.longestAdvance))
  }

  /// Sets it, also back. Rate limits and timers continue from their current state when it is set back.
  public func set(to date: Date) {
    clock.set(date.milliseconds)
  }

  /// Stops it, until ``resume()``.
  public func freeze() { clock.run(at: 0) }

  /// Makes it run at the speed of real time.
  public func resume() { clock.run(at: 1) }

  /// Makes it run at a multiple of real time, from 0 to 100,000. Values outside are clamped.
  public func run(at rate: Double) { clock.run(at: rate.isNaN ? 1 : min(max(rate, 0), MadangCore.Clock.fastest)) }
}

extension Date {
  /// Milliseconds since 1970, clamped to the range of a clock.
  var milliseconds: Int64 { Int64(max(-1e15, min(1e15, timeIntervalSince1970 * 1000))) }
}
