import Dispatch
import Foundation

/// The two streams of a command: data on standard output, messages on standard error.
enum Terminal {
  /// The columns to fit human output into: the terminal's, or nil when standard output is no terminal.
  static var width: Int? { width(of: STDOUT_FILENO) }

  /// The columns of the terminal that messages go to, or nil when standard error is none.
  static var messageWidth: Int? { width(of: STDERR_FILENO) }

  private static func width(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    let known = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return known ? max(Int(size.ws_col), 40) : 80
  }

  static var hasColour: Bool { isatty(STDOUT_FILENO) == 1 && Environment.current.wantsColour }

  static func data(_ bytes: some Collection<UInt8>) throws {
    try put(Array(bytes), to: STDOUT_FILENO)
  }

  static func line(_ text: String) throws { try data((text + "\n").utf8) }

  static func message(_ text: String) {
    // Nowhere is left to complain when standard error is closed.
    try? put(Array((text.printable + "\n").utf8), to: STDERR_FILENO)
  }

  /// Why a command fails. The journal of systemd is told that it is an error.
  ///
  /// Returns after ``patience`` at the latest: a pipe that nothing reads must not keep the process from ending.
  static func problem(_ text: String) {
    let isWritten = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      message(JournalPriority.isRead ? JournalPriority.error.before(text) : text)
      isWritten.signal()
    }
    _ = isWritten.wait(timeout: .now() + patience)
  }

  /// Seconds for which the last words of the process may wait for their reader.
  private static let patience = 5.0

  /// Writes what holds control sequences on purpose.
  static func picture(_ text: String) { try? put(Array((text + "\n").utf8), to: STDERR_FILENO) }

  /// Puts a message in the place of the line the cursor is on, and stays on it.
  static func overwrite(_ line: String) {
    try? put(Array(("\r\u{1B}[K" + line.printable).utf8), to: STDERR_FILENO)
  }

  /// Writes a question; the answer is typed behind it.
  static func prompt(_ text: String) { try? put(Array(text.printable.utf8), to: STDERR_FILENO) }

  /// Asks on the terminal without echo.
  static func readSecret(_ prompt: String) throws -> String {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw Failure("the terminal does not answer") }
    var silent = settings
    silent.c_lflag &= ~tcflag_t(ECHO)
    self.prompt(prompt)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
      message("")
    }
    return readLine(strippingNewline: true) ?? ""
  }

  private static func put(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EAGAIN {
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&writable, 1, -1)
        continue
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure("output failed: \(String(cString: strerror(errno)))") }
      rest = rest.dropFirst(count)
    }
  }
}
