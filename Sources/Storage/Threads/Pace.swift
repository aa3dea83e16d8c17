import Foundation

/// How much of a machine long work takes while people use it.
package enum Pace: Sendable {
  /// It rests as long as it works, so that others get the processor and the disk after a few milliseconds.
  case gentle
  case full
}

/// The rests of work on one thread.
package struct Rests {
  /// Work after which there is a rest.
  private static let slice = Duration.milliseconds(2)

  private let pace: Pace
  private var began = ContinuousClock.now

  package init(_ pace: Pace) { self.pace = pace }

  /// To be called often, between pieces of work. Blocks for as long as was worked since the last rest, once that is worth it.
  package mutating func rest() {
    guard pace == .gentle else { return }
    let worked = ContinuousClock.now - began
    guard worked >= Self.slice else { return }
    Thread.sleep(forTimeInterval: worked / .seconds(1))
    began = .now
  }
}
