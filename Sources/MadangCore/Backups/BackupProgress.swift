import Synchronization

/// The progress of a long task.
package struct BackupProgress: Sendable {
  /// The current phase, in words.
  package let phase: String
  package let done: Int
  /// Nil if unknown.
  package let total: Int?
}

/// Counts finished items and reports the progress.
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
