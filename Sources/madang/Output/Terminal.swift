import Dispatch
import Foundation

/// The two streams of a command: data on standard output, messages on standard error.
enum Terminal {
  /// The width for readable output: the terminal's, or nil if standard output is not a terminal.
  static var width: Int? { width(of: STDOUT_FILENO) }

  /// The width for messages: the terminal's, or nil if standard error is not a terminal.
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

  /// Prints a line of JSON, with escapes for what ``Swift/String/printable`` replaces and for signs that change the order of a line.
  static func json(_ bytes: some Sequence<UInt8>) throws {
    try data(PrintableJSON.escaped(bytes) + [UInt8(ascii: "\n")])
  }

  static func line(_ text: String) throws { try data((text + "\n").utf8) }

  static func message(_ text: String) {
    // If standard error is closed, the failure cannot be reported.
    try? put(Array((text.printable + "\n").utf8), to: STDERR_FILENO)
  }

  /// Prints why a command fails. In systemd's journal the line has the priority of an error.
  ///
  /// Returns after ``patience`` at the latest: a pipe without a reader must not keep the process alive.
  static func problem(_ text: String) {
    let isWritten = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      message(JournalPriority.isRead ? JournalPriority.error.before(text) : text)
      isWritten.signal()
    }
    _ = isWritten.wait(timeout: .now() + patience)
  }

  /// How long the last output of the process may wait for its reader, in seconds.
  private static let patience = 5.0

  /// Prints text that contains control sequences on purpose.
  static func picture(_ text: String) { try? put(Array((text + "\n").utf8), to: STDERR_FILENO) }

  /// Replaces the current line by a message, and keeps the cursor on it.
  static func overwrite(_ line: String) {
    try? put(Array(("\r\u{1B}[K" + line.printable).utf8), to: STDERR_FILENO)
  }

  /// Prints a question; the answer is typed after it.
  static func prompt(_ text: String) { try? put(Array(text.printable.utf8), to: STDERR_FILENO) }

  /// Reads a line from the terminal without echo.
  /// - Parameter end: What Ctrl-C does.
  static func readSecret(_ prompt: String, atInterrupt end: () -> Void = { endByInterrupt() }) throws -> String {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw Failure("the terminal does not answer") }
    var silent = settings
    // Ctrl-C ends the line instead of the process, so that the echo comes back first.
    silent.c_lflag &= ~(tcflag_t(ECHO) | tcflag_t(ISIG))
    withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
    // Before the prompt: what is typed once it shows is neither echoed nor dropped.
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    self.prompt(prompt)
    // A terminal returns one line at a time.
    var (bytes, count) = ([UInt8](repeating: 0, count: 4096), -1)
    repeat { count = read(STDIN_FILENO, &bytes, bytes.count) } while count < 0 && errno == EINTR
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    message("")
    let line = bytes.prefix(max(count, 0))
    if line.last == interrupt { end() }
    return String(decoding: line.last == UInt8(ascii: "\n") ? line.dropLast() : line, as: UTF8.self)
  }

  static func endByInterrupt() {
    // Threads of Dispatch block signals, and a script's background ignores this one.
    var interrupts = sigset_t()
    sigemptyset(&interrupts)
    sigaddset(&interrupts, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &interrupts, nil)
    signal(SIGINT, SIG_DFL)
    raise(SIGINT)
  }

  /// Ctrl-C.
  private static let interrupt: UInt8 = 3

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
