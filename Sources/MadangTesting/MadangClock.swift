import Foundation
import MadangCore

/// The time of a world. Tokens expire by it, chats are dated by it, limits and what waits go by it.
public struct MadangClock: Sendable {
  let clock: MadangCore.Clock

  public var now: Date { Date(timeIntervalSince1970: Double(clock.now) / 1000) }

  /// How many times as fast as time it runs; 0 while it stands still.
  public var rate: Double { clock.rate }

  /// Moves it on; what lies ahead comes at once. A negative duration does nothing.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    clock.advance(milliseconds: max(0, overflows ? .max / 2 : milliseconds + attoseconds / 1_000_000_000_000_000))
  }

  /// Sets it, also back. Limits and what waits go on from where they are when it is set back.
  public func set(to date: Date) {
    clock.set(date.milliseconds)
  }

  /// Stops it, until ``resume()``.
  public func freeze() { clock.run(at: 0) }

  /// Has it run as fast as time passes.
  public func resume() { clock.run(at: 1) }

  /// Has it run so many times as fast as time passes, from 0 to 100,000; what is beyond that is cut to it.
  public func run(at rate: Double) { clock.run(at: rate.isNaN ? 1 : min(max(rate, 0), MadangCore.Clock.fastest)) }
}

extension Date {
  /// Milliseconds since 1970, cut to what a clock may show.
  var milliseconds: Int64 { Int64(max(-1e15, min(1e15, timeIntervalSince1970 * 1000))) }
}
