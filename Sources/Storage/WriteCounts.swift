import Synchronization

/// How much was written since the database was opened.
final class WriteCounts: Sendable {
  private let commits = Atomic<Int>(0)
  private let writes = Atomic<Int>(0)
  private let reruns = Atomic<Int>(0)

  func committed(_ count: Int) {
    commits.add(1, ordering: .relaxed)
    writes.add(count, ordering: .relaxed)
  }

  func reran() {
    reruns.add(1, ordering: .relaxed)
  }

  var now: (commits: Int, writes: Int, reruns: Int) {
    (commits.load(ordering: .relaxed), writes.load(ordering: .relaxed), reruns.load(ordering: .relaxed))
  }
}
