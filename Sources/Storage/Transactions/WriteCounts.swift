import Synchronization

/// How much was written since the database was opened.
final class WriteCounts: Sendable {
  private let commits = Atomic<Int>(0)
  private let writes = Atomic<Int>(0)
  private let reruns = Atomic<Int>(0)
  private let nanoseconds = Atomic<Int64>(0)

  /// - Parameter duration: The duration of the COMMIT.
  func committed(_ count: Int, in duration: Duration) {
    nanoseconds.wrappingAdd(duration.components.seconds &* 1_000_000_000, ordering: .relaxed)
    nanoseconds.wrappingAdd(duration.components.attoseconds / 1_000_000_000, ordering: .relaxed)
    commits.add(1, ordering: .relaxed)
    writes.add(count, ordering: .relaxed)
  }

  func reran() {
    reruns.add(1, ordering: .relaxed)
  }

  /// The total time of all COMMITs, in seconds.
  var commitSeconds: Double { Double(nanoseconds.load(ordering: .relaxed)) / 1e9 }

  var now: (commits: Int, writes: Int, reruns: Int) {
    (commits.load(ordering: .relaxed), writes.load(ordering: .relaxed), reruns.load(ordering: .relaxed))
  }
}
