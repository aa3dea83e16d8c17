import Foundation

/// The share of a machine that long work takes while others use it.
package enum Pace: Sendable {
  /// Rests as long as it works, so that others get the processor and the disk within a few milliseconds.
  case gentle
  case full
}

/// Inserts pauses into long work on one thread.
package struct Rests {
  /// The least work between two pauses.
  private static let slice = Duration.milliseconds(2)

  private let pace: Pace
  private var began = ContinuousClock.now

  package init(_ pace: Pace) { self.pace = pace }

  /// Call it often, between pieces of work. Blocks for as long as the thread has worked since the last pause, once that is at least
  /// `slice`.
  package mutating func rest() {
    guard pace == .gentle else { return }
    let worked = ContinuousClock.now - began
    guard worked >= Self.slice else { return }
    Thread.sleep(forTimeInterval: worked / .seconds(1))
    began = .now
  }
}
