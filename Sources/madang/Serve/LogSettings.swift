import Logging
import MadangCore

struct LogSettings: Sendable {
  var level = setting(
    "log.level", Logger.Level.info, .word, "trace, debug, info, notice, warning, error or critical", .live)
  var format = setting(
    "log.format", LogFormat.text, .word, "format of log lines: text, or json for one object per line")
  /// Bytes of lines that may wait to be written; more lines are dropped and counted.
  static let buffer = 1 << 20
}
