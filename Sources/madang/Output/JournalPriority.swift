import CoreFoundation
import Dispatch
import Foundation
import Logging

/// The priority of a line in systemd's journal and for `journalctl -p`: see sd-daemon(3).
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

  /// The prefix of a line.
  var prefix: String { "<\(rawValue)>" }

  /// Whether standard error goes to the journal: systemd passes the stream's device and inode in the environment. Child processes with
  /// other streams inherit the variable, so both are compared.
  static let isRead = isRead(
    by: STDERR_FILENO, variable: ProcessInfo.processInfo.environment["JOURNAL_STREAM"])

  static func isRead(by descriptor: Int32, variable: String?) -> Bool {
    var status = stat()
    guard let variable, fstat(descriptor, &status) == 0 else { return false }
    return variable == "\(status.st_dev):\(status.st_ino)"
  }

  /// Adds the prefix to each line of a text.
  func before(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { prefix + $0 }.joined(separator: "\n")
  }
}
