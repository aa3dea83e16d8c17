import Logging
import MadangCore
import MadangServer

/// Reads the settings again while the server runs, and applies the ones that can change without a restart.
struct SettingsReload {
  let flags: [String: String]
  let file: String?
  let server: MadangServer
  private let log: ServerLog
  /// The settings that the server uses.
  private(set) var loaded: LoadedSettings

  init(
    _ loaded: LoadedSettings, flags: [String: String], file: String?, server: MadangServer, log: ServerLog
  ) {
    (self.loaded, self.flags, self.file, self.server, self.log) = (loaded, flags, file, server, log)
  }

  /// Applies all changes, or nothing if there is a mistake. Logs the result.
  mutating func run() async {
    let changes: [SettingChange]
    let next: LoadedSettings
    do {
      let read = try await LoadedSettings(flags: flags, file: file)
      for warning in read.warnings { log.logger.warning("\(warning)") }
      changes = loaded.changes(to: read)
      next = try loaded.taking(changes, of: read)
    } catch {
      for mistake in ((error as? SetupError)?.description ?? "\(error)").split(separator: "\n") {
        log.logger.error("settings were not applied", metadata: ["mistake": "\(mistake)"])
      }
      return
    }
    for change in changes where !change.setting.isLive {
      log.logger.warning(
        "a setting needs a restart", metadata: ["setting": "\(change.setting.key)", "change": "\(change.words)"])
    }
    let live = changes.filter(\.setting.isLive)
    guard !live.isEmpty else {
      if changes.isEmpty { log.logger.notice("settings have not changed") }
      return
    }
    loaded = next
    log.level.now = next.log.level
    for change in live {
      log.logger.notice(
        "a setting was applied", metadata: ["setting": "\(change.setting.key)", "change": "\(change.words)"])
    }
    do {
      try await server.apply(
        next.settings, changes: Dictionary(uniqueKeysWithValues: live.map { ($0.setting.key, $0.words) }))
    } catch {
      log.logger.error(
        "these settings were not recorded in the audit log", metadata: ["reason": "\(String(reflecting: error))"])
    }
  }
}

/// A setting whose value has changed.
struct SettingChange {
  let setting: Setting
  /// The old and the new value, without secrets.
  let words: String
}

extension LoadedSettings {
  /// The settings that differ in `other`, by key.
  func changes(to other: LoadedSettings) -> [SettingChange] {
    zip(list, other.list).filter { $0.value != $1.value }.sorted { $0.0.key < $1.0.key }.map { now, next in
      SettingChange(setting: now, words: "\(now.shown) -> \(next.shown)")
    }
  }

  /// These settings with the changes to `other` that can be applied while the server runs. Throws ``SetupError`` if they contradict
  /// settings that keep their values until a restart.
  func taking(_ changes: [SettingChange], of other: LoadedSettings) throws -> LoadedSettings {
    var next = written
    for change in changes where change.setting.isLive { next[change.setting.key] = other.written[change.setting.key] }
    do { return try LoadedSettings(next) } catch let error as SetupError {
      throw SetupError("\(error.description)\nbecause of settings that need a restart first")
    }
  }
}
