import Foundation
import Logging

/// The limit of open files for this process. A connection takes one; a WebSocket with TLS takes three.
enum OpenFiles {
  /// Files other than client connections: database, uploads, notifications, log.
  private static let others = 256

  /// Raises the limit as far as the system allows without privileges, and returns how many connections fit.
  ///
  /// - Parameters:
  ///   - filesEach: Files per connection.
  ///   - level: Of the message if fewer fit than are wanted.
  static func connections(wanted: Int, filesEach: Int = 1, _ logger: Logger, at level: Logger.Level) -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return wanted }
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = limit.rlim_max
      if setrlimit(resource, &raised) == 0 { limit = raised }
    }
    let room = Int(clamping: limit.rlim_cur)
    let fitting = max(1, (room - min(others, room / 2)) / filesEach)
    guard fitting < wanted else { return wanted }
    logger.log(
      level: level,
      "fewer connections than limits.connections: raise the process's limit of open files (LimitNOFILE, ulimit -n)",
      metadata: ["connections": "\(fitting)", "openFiles": "\(room)"])
    return fitting
  }
}
