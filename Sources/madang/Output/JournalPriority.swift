import Foundation
import Logging

/// What the journal of systemd, and `journalctl -p`, sort lines by: sd-daemon(3).
enum JournalPriority: Int {
  case critical = 2
  case error, warning, notice, info, debug

  init(_ level: Logger.Level) {
    self =
      switch level {
      case .trace, .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      case .critical: .critical
      }
  }

  /// What a line begins with.
  var prefix: String { "<\(rawValue)>" }

  /// Whether the journal reads standard error: systemd names the stream's device and inode in the environment, which child
  /// processes with other streams inherit as well.
  static let isRead = isRead(
    by: STDERR_FILENO, variable: ProcessInfo.processInfo.environment["JOURNAL_STREAM"])

  static func isRead(by descriptor: Int32, variable: String?) -> Bool {
    var status = stat()
    guard let variable, fstat(descriptor, &status) == 0 else { return false }
    return variable == "\(status.st_dev):\(status.st_ino)"
  }

  /// Puts it before each line of a text.
  func before(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { prefix + $0 }.joined(separator: "\n")
  }
}
