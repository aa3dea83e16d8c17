import MadangOperations
import Synchronization

/// Shows the progress of long work on one line of standard error, which is removed at the end. Prints nothing without a terminal.
final class ProgressLine: Sendable {
  private let width: Int
  private let drawn = Mutex<(line: String, at: ContinuousClock.Instant?)>(("", nil))
  private static let interval = Duration.milliseconds(100)

  private init(width: Int) { self.width = width }

  /// Runs work and shows its progress.
  static func following<Result>(_ work: (@escaping TellProgress) async throws -> Result) async throws -> Result {
    guard let width = Terminal.messageWidth else { return try await work { _ in } }
    let line = ProgressLine(width: width)
    defer { line.erase() }
    return try await work { line.draw($0) }
  }

  private func draw(_ progress: WorkProgress) {
    let line = Self.line(progress).fitted(to: width - 1)
    // Drawn under the lock, so that lines stay in order, and not more often than is readable.
    drawn.withLock { drawn in
      let now = ContinuousClock.now
      guard line != drawn.line, drawn.at.map({ now - $0 >= Self.interval }) ?? true else { return }
      drawn = (line, now)
      Terminal.overwrite(line)
    }
  }

  private func erase() {
    drawn.withLock { drawn in
      if drawn.at != nil { Terminal.overwrite("") }
      drawn = ("", nil)
    }
  }

  /// For example `copying files: 120 of 10000 (1%)`.
  static func line(_ progress: WorkProgress) -> String {
    guard let total = progress.total else { return "\(progress.phase): \(progress.done)" }
    let percent = total > 0 ? " (\(progress.done * 100 / total)%)" : ""
    return "\(progress.phase): \(progress.done) of \(total)\(percent)"
  }
}
