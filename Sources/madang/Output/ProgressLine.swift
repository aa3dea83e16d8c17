import MadangOperations
import Synchronization

/// Shows the progress of long work on a line of standard error.
enum ProgressLine {
  /// Runs work and shows its progress, not more often than is readable.
  /// - Parameter interval: The time between lines where standard error is no terminal; nil for no lines there.
  static func following<Result>(
    every interval: Duration? = nil, _ work: (@escaping TellProgress) async throws -> Result
  ) async throws -> Result {
    if let interval, Terminal.messageWidth == nil {
      let latest = LatestProgress()
      let ticker = Task {
        while true {
          try await Task.sleep(for: interval)
          if let progress = latest.progress.withLock(\.self) { Terminal.message(line(progress)) }
        }
      }
      defer { ticker.cancel() }
      return try await work { progress in latest.progress.withLock { $0 = progress } }
    }
    return try await StatusLine.with(interval: .milliseconds(100)) { status in
      try await work { progress in
        if let status { status.draw(line(progress).fitted(to: status.width - 1)) }
      }
    }
  }

  /// For example `copying files: 120 of 10000 (1%)`.
  static func line(_ progress: WorkProgress) -> String {
    guard let total = progress.total else { return "\(progress.phase): \(progress.done)" }
    let percent = total > 0 ? " (\(progress.done * 100 / total)%)" : ""
    return "\(progress.phase): \(progress.done) of \(total)\(percent)"
  }
}

private final class LatestProgress: Sendable {
  let progress = Mutex<WorkProgress?>(nil)
}
