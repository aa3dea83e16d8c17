import Synchronization

/// How often a writing connection was opened.
final class OpeningCount: Sendable {
  private let count = Atomic(0)

  var now: Int { count.load(ordering: .acquiring) }

  func add() { count.add(1, ordering: .releasing) }
}
