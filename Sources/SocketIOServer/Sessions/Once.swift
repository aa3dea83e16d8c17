import Synchronization

/// Lets only the first caller pass, on any thread.
final class Once: Sendable {
  private let isUsed = Atomic(false)

  func first() -> Bool {
    isUsed.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
  }
}
