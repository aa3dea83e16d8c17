import Logging
import MadangServer

extension Setting {
  static let log: [Setting] = [
    Setting(
      key: "log.level", help: "trace, debug, info, notice, warning, error or critical",
      read: { text, loaded throws(Invalid) in
        guard let level = Logger.Level(rawValue: text) else {
          throw Invalid(cure: "write trace, debug, info, notice, warning, error or critical")
        }
        loaded.logLevel = level
      }, show: { $0.logLevel.rawValue }
    ).live,
    Setting(
      key: "log.format", help: "how lines of the log look: text, or json for an object each",
      read: { text, loaded throws(Invalid) in
        guard let format = LogFormat(rawValue: text) else { throw Invalid(cure: "write text or json") }
        loaded.logFormat = format
      }, show: { $0.logFormat.rawValue }),
    integer(
      "log.buffer", "bytes of lines that may wait to be written; more lines are dropped and counted", \.logBuffer,
      4096...(1 << 30)),
    milliseconds(
      "log.flush", "seconds a stop waits for lines of the log, and for audit entries that are sent elsewhere",
      \.settings.logPatience, 0...60),
  ]
}
