import Synchronization

/// Tells the first caller from all others, on any thread.
final class Once: Sendable {
  private let isUsed = Atomic(false)

  func first() -> Bool {
    isUsed.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
  }
}
