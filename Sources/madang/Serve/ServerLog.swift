import Foundation
import Logging
import MadangOperations

/// The log of a server, on standard error.
struct ServerLog: Sendable {
  let level: LiveLogLevel
  let logger: Logger
  private let output: LogOutput
  private let patience: Duration

  init(_ settings: LoadedSettings) {
    let format = settings.log.format
    let level = LiveLogLevel(settings.log.level)
    let output = LogOutput(descriptor: STDERR_FILENO, limit: LogSettings.buffer) {
      LogLine.ofDropped($0).bytes(format, isForJournal: JournalPriority.isRead)
    }
    (self.level, self.output, patience) = (level, output, settings.settings.logPatience)
    logger = Logger(label: "madang") { label in
      level.applied(to: LineLog(label: label) { output.write($0.bytes(format, isForJournal: JournalPriority.isRead)) })
    }
  }

  /// Waits until all lines are written, for at most the time that a stop may wait for its log, or `limit` if that is shorter.
  func flush(within limit: Duration? = nil) { output.flush(within: limit.map { min($0, patience) } ?? patience) }

  /// What is wrong with settings, but lets the server start.
  func warn(of settings: LoadedSettings) {
    for warning in SettingNames.ignored(in: ProcessInfo.processInfo.environment.keys) + settings.warnings {
      logger.warning("\(warning)")
    }
    if settings.settings.sockets.access == .open && !settings.settings.isDevelopment {
      logger.warning(
        "socket.access=open: any client receives the chats of every room; use it for local development only")
    }
  }
}
