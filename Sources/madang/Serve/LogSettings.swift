import Logging
import MadangCore

struct LogSettings: Sendable {
  var level = setting(
    "log.level", Logger.Level.info, .word, "trace, debug, info, notice, warning, error or critical", .live)
  var format = setting(
    "log.format", LogFormat.text, .word, "how lines of the log look: text, or json for an object each")
  /// Bytes of lines that may wait to be written; more lines are dropped and counted.
  static let buffer = 1 << 20
}
