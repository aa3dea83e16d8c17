import Synchronization

/// One line of standard error that shows how far work is. It is removed at the end.
final class StatusLine: Sendable {
  /// The terminal's columns.
  let width: Int
  private let interval: Duration
  private let drawn = Mutex<(line: String, at: ContinuousClock.Instant?)>(("", nil))

  private init(width: Int, interval: Duration) { (self.width, self.interval) = (width, interval) }

  /// Runs work with a line; without a terminal there is none.
  /// - Parameter interval: The shortest time between two lines.
  static func with<Result>(
    interval: Duration = .zero, _ work: (StatusLine?) async throws -> Result
  ) async throws -> Result {
    let line = Terminal.messageWidth.map { StatusLine(width: $0, interval: interval) }
    defer { line?.erase() }
    return try await work(line)
  }

  func draw(_ line: String) {
    // Drawn under the lock, so that lines stay in order. A line that changes nothing is not drawn.
    drawn.withLock { drawn in
      let now = ContinuousClock.now
      guard line != drawn.line, drawn.at.map({ now - $0 >= interval }) ?? true else { return }
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
}
