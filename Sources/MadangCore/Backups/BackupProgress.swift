import Synchronization

/// How far something long is.
package struct BackupProgress: Sendable {
  /// What is being done, in words.
  package let phase: String
  package let done: Int
  /// Nil where it is not known.
  package let total: Int?
}

/// Counts what is done and tells somebody.
final class ProgressCount: Sendable {
  private let phase: String
  private let total: Int?
  private let tell: @Sendable (BackupProgress) -> Void
  private let done = Mutex(0)

  init(_ phase: String, of total: Int? = nil, _ tell: @escaping @Sendable (BackupProgress) -> Void) {
    self.phase = phase
    self.total = total
    self.tell = tell
    tell(BackupProgress(phase: phase, done: 0, total: total))
  }

  func add(_ count: Int) {
    guard count > 0 else { return }
    done.withLock { done in
      done += count
      tell(BackupProgress(phase: phase, done: done, total: total))
    }
  }
}
