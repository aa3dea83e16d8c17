import Logging
import MadangServer

/// Reads the settings again while the server runs, and takes those that can be changed by then.
struct SettingsReload {
  let flags: [String: String]
  let file: String?
  let server: MadangServer
  let level: LiveLogLevel
  let logger: Logger
  /// What the server goes by.
  private(set) var loaded: LoadedSettings

  init(
    _ loaded: LoadedSettings, flags: [String: String], file: String?, server: MadangServer, level: LiveLogLevel,
    logger: Logger
  ) {
    (self.loaded, self.flags, self.file) = (loaded, flags, file)
    (self.server, self.level, self.logger) = (server, level, logger)
  }

  /// Takes what has changed, all of it or, if there is any mistake, nothing. Says in the log what came of it.
  mutating func run() async {
    let changes: [SettingChange]
    let next: LoadedSettings
    do {
      changes = loaded.changes(to: try await LoadedSettings(flags: flags, file: file))
      next = try loaded.taking(changes)
    } catch {
      for mistake in ((error as? SetupError)?.description ?? "\(error)").split(separator: "\n") {
        logger.error("settings are not taken", metadata: ["mistake": "\(mistake)"])
      }
      return
    }
    for change in changes where !change.setting.isLive {
      logger.warning(
        "a setting needs a restart", metadata: ["setting": "\(change.setting.key)", "change": "\(change.words)"])
    }
    let live = changes.filter(\.setting.isLive)
    guard !live.isEmpty else {
      if changes.isEmpty { logger.notice("settings are as they were") }
      return
    }
    loaded = next
    level.now = next.logLevel
    for change in live {
      logger.notice("a setting is taken", metadata: ["setting": "\(change.setting.key)", "change": "\(change.words)"])
    }
    do {
      try await server.apply(
        next.settings, changes: Dictionary(uniqueKeysWithValues: live.map { ($0.setting.key, $0.words) }))
    } catch {
      logger.error(
        "the audit log has no row about these settings", metadata: ["reason": "\(String(reflecting: error))"])
    }
  }
}

/// A setting whose value is another one.
struct SettingChange {
  let setting: Setting
  /// As settings are written.
  let value: String
  /// From what to what; nothing of a secret.
  let words: String
}

extension LoadedSettings {
  /// What is otherwise in other settings, by key.
  func changes(to other: LoadedSettings) -> [SettingChange] {
    Setting.all.filter { $0.show(self) != $0.show(other) }.sorted { $0.key < $1.key }.map { setting in
      SettingChange(
        setting: setting, value: setting.show(other), words: "\(setting.shown(self)) -> \(setting.shown(other))")
    }
  }

  /// These with the changes that can be taken while the server runs. Throws ``SetupError`` if they do not go together with those that wait for
  /// a restart.
  func taking(_ changes: [SettingChange]) throws -> LoadedSettings {
    var next = self
    for change in changes where change.setting.isLive { try change.setting.read(change.value, &next) }
    let mistakes = next.settings.problems()
    guard mistakes.isEmpty else {
      throw SetupError((mistakes + ["with settings that need a restart first"]).joined(separator: "\n"))
    }
    return next
  }
}
