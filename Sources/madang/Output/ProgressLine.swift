import MadangOperations

/// Shows the progress of long work on a line of standard error.
enum ProgressLine {
  /// Runs work and shows its progress, not more often than is readable.
  static func following<Result>(_ work: (@escaping TellProgress) async throws -> Result) async throws -> Result {
    try await StatusLine.with(interval: .milliseconds(100)) { status in
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
