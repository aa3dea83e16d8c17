import Foundation
import Logging
import MadangServer

/// One setting: its key in files, what it means, how it is read and shown.
struct Setting: Sendable {
  struct Invalid: Error {
    let cure: String
  }

  let key: String
  let help: String
  var isSecret = false
  let read: @Sendable (String, inout LoadedSettings) throws(Invalid) -> Void
  let show: @Sendable (LoadedSettings) -> String

  static let all: [Setting] = [
    text("host", "address to listen on", \.settings.host),
    integer("port", "port to listen on, 0 for a free one", \.settings.port, 0...65535),
    Setting(
      key: "data", help: "directory of database, files and secrets",
      read: { text, loaded throws(Invalid) in
        loaded.settings.dataDirectory = URL(filePath: text, directoryHint: .isDirectory)
      }, show: { $0.settings.dataDirectory.path }),
    Setting(
      key: "database.url", help: "PostgreSQL instead of the embedded database", isSecret: true,
      read: { text, loaded throws(Invalid) in loaded.settings.databaseURL = text.isEmpty ? nil : text },
      show: { $0.settings.databaseURL ?? "" }),
    integer("database.readers", "connections that read", \.settings.databaseReaders, 1...64),
    flag("dev", "development mode", \.settings.isDevelopment),
    Setting(
      key: "keys", help: "API keys and their editions: KEY=2024-10,KEY=2024-10", isSecret: true,
      read: { text, loaded throws(Invalid) in
        for pair in text.split(separator: ",") {
          let parts = pair.split(separator: "=").map(String.init)
          guard parts.count == 2, parts[1] == "2024-10" else {
            throw Invalid(cure: "write KEY=2024-10, more of them separated by commas")
          }
          loaded.settings.keys[parts[0]] = parts[1]
        }
      }, show: { $0.settings.keys.isEmpty ? "" : "\($0.settings.keys.count) keys" }),
    Setting(
      key: "socket.access", help: "who may join a room's socket: token, recent or open",
      read: { text, loaded throws(Invalid) in
        guard let access = SocketAccess(rawValue: text) else { throw Invalid(cure: "write token, recent or open") }
        loaded.settings.socketAccess = access
      }, show: { $0.settings.socketAccess.rawValue }),
    milliseconds("socket.recent.window", "seconds an address stays fresh", \.settings.socketRecentWindow),
    Setting(
      key: "trusted.proxies", help: "addresses whose X-Forwarded-For is believed, separated by commas",
      read: { text, loaded throws(Invalid) in
        loaded.settings.trustedProxies = Set(text.split(separator: ",").map(String.init))
      }, show: { $0.settings.trustedProxies.sorted().joined(separator: ",") }),
    integer("limits.requests", "calls in 10 s of one session, 0 for no limit", \.settings.callLimits.requests),
    integer("limits.refreshes", "refreshes in 10 s of one session", \.settings.callLimits.refreshes),
    integer("limits.unknown.tokens", "calls in 10 s with one unknown token", \.settings.callLimits.unknownTokens),
    integer("limits.signin.failures", "failed sign-ins in 5 min", \.settings.callLimits.signInFailures),
    integer(
      "password.cost", "how dear new passwords are to guess: base-2 logarithm of scrypt's N",
      \.settings.passwordCost, 4...20),
    integer("limits.body", "bytes of a request", \.settings.body.request, 1...Int.max),
    integer("limits.text", "bytes of a JSON or form body", \.settings.body.text, 1...Int.max),
    Setting(
      key: "log.level", help: "trace, debug, info, notice, warning, error or critical",
      read: { text, loaded throws(Invalid) in
        guard let level = Logger.Level(rawValue: text) else {
          throw Invalid(cure: "write trace, debug, info, notice, warning, error or critical")
        }
        loaded.logLevel = level
      }, show: { $0.logLevel.rawValue }),
  ]

  private typealias Path<Value> = any WritableKeyPath<LoadedSettings, Value> & Sendable

  private static func text(_ key: String, _ help: String, _ path: Path<String>) -> Setting {
    Setting(
      key: key, help: help, read: { text, loaded throws(Invalid) in loaded[keyPath: path] = text },
      show: { $0[keyPath: path] })
  }

  private static func integer(_ key: String, _ help: String, _ path: Path<Int>, _ range: ClosedRange<Int> = 0...Int.max)
    -> Setting
  {
    Setting(
      key: key, help: help,
      read: { text, loaded throws(Invalid) in
        guard let number = Int(text), range.contains(number) else {
          throw Invalid(
            cure:
              "write a whole number from \(range.lowerBound)\(range.upperBound == .max ? "" : " to \(range.upperBound)")"
          )
        }
        loaded[keyPath: path] = number
      }, show: { String($0[keyPath: path]) })
  }

  private static func milliseconds(_ key: String, _ help: String, _ path: Path<Int64>) -> Setting {
    Setting(
      key: key, help: help,
      read: { text, loaded throws(Invalid) in
        guard let seconds = Int64(text), seconds >= 0, seconds < 1 << 40 else {
          throw Invalid(cure: "write whole seconds")
        }
        loaded[keyPath: path] = seconds * 1000
      }, show: { String($0[keyPath: path] / 1000) })
  }

  private static func flag(_ key: String, _ help: String, _ path: Path<Bool>) -> Setting {
    Setting(
      key: key, help: help,
      read: { text, loaded throws(Invalid) in
        guard let value = ["true": true, "1": true, "false": false, "0": false][text] else {
          throw Invalid(cure: "write true or false")
        }
        loaded[keyPath: path] = value
      }, show: { String($0[keyPath: path]) })
  }
}
