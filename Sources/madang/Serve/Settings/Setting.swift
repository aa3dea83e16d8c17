import Foundation
import MadangServer

/// One setting: its key in files, what it means, how it is read and shown.
struct Setting: Sendable {
  struct Invalid: Error {
    let cure: String
  }

  let key: String
  let help: String
  var isSecret = false
  /// Whether a running server takes another value (SIGHUP). Others need a restart.
  var isLive = false
  /// A variable of the environment that other programs use for the same, and that counts where nothing else says it.
  var customaryVariable: String?
  let read: @Sendable (String, inout LoadedSettings) throws(Invalid) -> Void
  let show: @Sendable (LoadedSettings) -> String

  /// By what they are about.
  static let groups: [(title: String, settings: [Setting])] = [
    ("Listening", listening), ("The database", database), ("Development mode", development), ("Editions", editions),
    ("Sockets", sockets), ("Limits", limits), ("Accounts", accounts), ("Files", files), ("Workspaces", workspaces),
    ("Push, payments and sign-in by others", providers), ("Mail", mail), ("Alarms", alarms), ("The log", log),
  ]

  static let all = groups.flatMap(\.settings)

  typealias Path<Value> = any WritableKeyPath<LoadedSettings, Value> & Sendable

  /// The same as one that a running server takes.
  var live: Setting {
    var setting = self
    setting.isLive = true
    return setting
  }

  /// The value for people; nothing of a secret.
  func shown(_ loaded: LoadedSettings) -> String {
    let value = show(loaded)
    return isSecret && !value.isEmpty ? "***" : value
  }

  static func text(_ key: String, _ help: String, _ path: Path<String>, or variable: String? = nil) -> Setting {
    Setting(
      key: key, help: help, customaryVariable: variable,
      read: { text, loaded throws(Invalid) in loaded[keyPath: path] = text },
      show: { $0[keyPath: path] })
  }

  static func secret(_ key: String, _ help: String, _ path: Path<String>, or variable: String? = nil) -> Setting {
    var setting = text(key, help, path, or: variable)
    setting.isSecret = true
    return setting
  }

  static func integer(_ key: String, _ help: String, _ path: Path<Int>, _ range: ClosedRange<Int> = 0...Int.max)
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

  static func milliseconds(
    _ key: String, _ help: String, _ path: Path<Int64>, _ range: ClosedRange<Int64> = 0...(1 << 40 - 1)
  ) -> Setting {
    Setting(
      key: key, help: help,
      read: { text, loaded throws(Invalid) in
        guard let seconds = Int64(text), range.contains(seconds) else {
          throw Invalid(
            cure:
              "write whole seconds\(range.upperBound < 1 << 40 - 1 ? " from \(range.lowerBound) to \(range.upperBound)" : "")"
          )
        }
        loaded[keyPath: path] = seconds * 1000
      }, show: { String($0[keyPath: path] / 1000) })
  }

  static func flag(_ key: String, _ help: String, _ path: Path<Bool>) -> Setting {
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
