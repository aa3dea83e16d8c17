import Foundation

/// Writes log lines to a descriptor on its own thread, so that logging never waits for the reader of the log.
///
/// Lines are dropped and counted if too many bytes are waiting, or if they cannot be written. The next line that is written follows a line
/// with this number.
///
/// `@unchecked Sendable`: all mutable state is accessed only while `lock` is held.
final class LogOutput: @unchecked Sendable {
  private enum Entry {
    case line([UInt8])
    case dropped(Int)

    /// How many lines this entry represents.
    var lines: Int {
      switch self {
      case .line: 1
      case .dropped(let count): count
      }
    }
  }

  private let descriptor: Int32
  private let limit: Int
  private let describeDropped: @Sendable (Int) -> [UInt8]
  private let lock = NSCondition()
  private var entries: [Entry] = []
  /// The size of lines that are not written yet, in bytes.
  private var waitingBytes = 0
  /// The number of lines that are not written yet.
  private var waitingLines = 0

  /// - Parameters:
  ///   - limit: How many bytes of lines may wait.
  ///   - describeDropped: Makes the line, with its newline, that says how many were dropped.
  init(descriptor: Int32, limit: Int, describeDropped: @escaping @Sendable (Int) -> [UInt8]) {
    (self.descriptor, self.limit, self.describeDropped) = (descriptor, limit, describeDropped)
    let thread = Thread { [self] in writeLines() }
    thread.name = "log"
    thread.start()
  }

  /// Takes a whole line with its newline. Returns at once.
  func write(_ line: [UInt8]) {
    lock.withLock {
      guard waitingBytes + line.count <= limit else { return drop(1) }
      entries.append(.line(line))
      waitingBytes += line.count
      waitingLines += 1
      lock.broadcast()
    }
  }

  /// Waits until all lines are written, for at most `patience`.
  /// - Returns: How many are not written.
  @discardableResult
  func flush(within patience: Duration) -> Int {
    let end =
      Date.now + TimeInterval(patience.components.seconds) + TimeInterval(patience.components.attoseconds) / 1e18
    return lock.withLock {
      while waitingLines > 0, lock.wait(until: end) {}
      return waitingLines
    }
  }

  private func drop(_ count: Int) {
    if case .dropped(let others) = entries.last {
      entries[entries.count - 1] = .dropped(others + count)
    } else {
      entries.append(.dropped(count))
    }
  }

  private func writeLines() -> Never {
    Self.blockBrokenPipe()
    // The number of lines in a batch that failed, and whether it was partly written, so that the next line would be appended to its rest.
    var (lost, isTorn) = (0, false)
    while true {
      let batch = take()
      var bytes = isTorn ? [UInt8(ascii: "\n")] : []
      if lost > 0 { bytes += describeDropped(lost) }
      for entry in batch {
        switch entry {
        case .line(let line): bytes += line
        case .dropped(let count): bytes += describeDropped(count)
        }
      }
      let written = put(bytes)
      let isWritten = written == bytes.count
      if written > 0 { isTorn = !isWritten }
      lost = isWritten ? 0 : lost + batch.reduce(0) { $0 + $1.lines }
      release(batch)
    }
  }

  /// Blocks SIGPIPE on this thread: writing to a pipe without a reader then fails instead of ending the process.
  private static func blockBrokenPipe() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Waits for a line, and returns all waiting lines.
  private func take() -> [Entry] {
    lock.withLock {
      while waitingLines == 0 { lock.wait() }
      defer { entries = [] }
      return entries
    }
  }

  private func release(_ batch: [Entry]) {
    lock.withLock {
      for case .line(let line) in batch {
        waitingBytes -= line.count
        waitingLines -= 1
      }
      lock.broadcast()
    }
  }

  /// Returns how many bytes were written. Fewer than given if the system refuses them: the disk is full or the reader is gone.
  private func put(_ bytes: [UInt8]) -> Int {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&writable, 1, -1)
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    return bytes.count - rest.count
  }
}
