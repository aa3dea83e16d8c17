import MadangServer
import Synchronization

/// How far long work is, on one line of standard error that is gone afterwards. Nothing where that is no terminal.
final class ProgressLine: Sendable {
  private let width: Int
  private let drawn = Mutex<(line: String, at: ContinuousClock.Instant?)>(("", nil))
  private static let interval = Duration.milliseconds(100)

  private init(width: Int) { self.width = width }

  /// Runs work under a line.
  static func following<Result>(_ work: (@escaping TellProgress) async throws -> Result) async throws -> Result {
    guard let width = Terminal.messageWidth else { return try await work { _ in } }
    let line = ProgressLine(width: width)
    defer { line.erase() }
    return try await work { line.draw($0) }
  }

  private func draw(_ progress: WorkProgress) {
    let line = Self.line(progress).fitted(to: width - 1)
    // Drawn within the lock, so that a line never overtakes a later one; and not more often than anybody can read.
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

  /// Like `copying files: 120 of 10000 (1%)`.
  static func line(_ progress: WorkProgress) -> String {
    guard let total = progress.total else { return "\(progress.phase): \(progress.done)" }
    let percent = total > 0 ? " (\(progress.done * 100 / total)%)" : ""
    return "\(progress.phase): \(progress.done) of \(total)\(percent)"
  }
}
