import Configuration
import Foundation
import Logging
import MadangAPI
import MadangCore
import MadangOperations
import SystemPackage

/// The settings from the command line, then the environment (`MADANG_...`), then the file, then the defaults.
struct LoadedSettings: Sendable {
  var settings = section("Listening", ServerSettings())
  /// Whether development mode includes the test kit.
  var hasTestKit = section(
    "Development mode",
    setting("dev.kit", true, .flag, "whether development mode has worlds, a clock, faults and a journal for tests"))
  var isForLocalNetwork = section(
    "Development mode",
    setting("dev.lan", false, .flag, "whether development mode also serves devices in the local network"))
  var log = section("The log", LogSettings())

  /// All settings, by section.
  private(set) var sections: [(title: String, settings: [Setting])] = []
  var list: [Setting] { sections.flatMap(\.settings) }
  /// What the operator wrote, by key.
  private(set) var written: [String: WrittenSetting] = [:]
  /// Files that have one secret each.
  private(set) var secretFiles: [String] = []
  /// Names in the file that have no effect.
  private(set) var warnings: [String] = []

  /// All settings at their defaults.
  static let declared = SettingsReader.read { LoadedSettings() }.settings

  private init() {}

  /// Throws one ``SetupError`` that lists every mistake with its source and a cure.
  /// - Parameter mistakes: Mistakes that were found before.
  init(_ written: [String: WrittenSetting], mistakes: [String] = []) throws {
    var (read, list, found) = SettingsReader.read(Self.init, from: written)
    var mistakes = mistakes + found
    if read.isForLocalNetwork {
      if !read.settings.isDevelopment { mistakes.append("--lan: needs development mode; add --dev") }
      let opened = written.merging(read.settings.openedToLocalNetwork(written), uniquingKeysWith: { $1 })
      (read, list, _) = SettingsReader.read(Self.init, from: opened)
    }
    self = read
    self.written = written
    for setting in list where !sections.contains(where: { $0.title == setting.section }) {
      sections.append((setting.section, list.filter { $0.section == setting.section }))
    }
    mistakes += settings.problems()
    guard mistakes.isEmpty else { throw SetupError(mistakes.joined(separator: "\n")) }
    for setting in list where setting.source != nil { settings.given[setting.key] = setting.shown }
    settings.listed = list
  }

  /// Why a file cannot be read as JSON.
  private static func words(_ error: any Error, _ file: String) -> String {
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory), isDirectory.boolValue {
      return "it is a directory"
    }
    if access(file, R_OK) != 0 { return String(cString: strerror(errno)) }
    let words = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "\(error)"
    return line(of: words, in: file).map { "line \($0): \(words)" } ?? words
  }

  /// The line of the character that Foundation's words name by its number; nil if they name none.
  private static func line(of words: String, in file: String) -> Int? {
    guard let match = words.firstMatch(of: /around character ([0-9]+)/), let index = Int(match.1),
      let text = FileManager.default.contents(atPath: file)
    else { return nil }
    return text.prefix(index).count { $0 == UInt8(ascii: "\n") } + 1
  }

  /// Reads all settings. Throws one ``SetupError`` that lists every mistake with its source and a cure.
  ///
  /// - Parameter environment: `MADANG_...` variables, and the customary variables of some settings.
  init(
    flags: [String: String], file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) async throws {
    var reader: ConfigReader?
    if let file {
      do {
        reader = ConfigReader(provider: try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
      } catch {
        throw SetupError(
          "--config: \(file) cannot be read: \(Self.words(error, file)); name the file that the server is started with, and "
            + "check that it is JSON that you may read")
      }
    }
    let sources = [
      SettingSource(name: "the command line") { flags[$0] },
      SettingSource(name: "the environment") { environment[SettingNames.variable($0)] },
      SettingSource(name: file ?? "") { key in reader.flatMap { Self.text(key, in: $0) } },
    ]
    var (written, mistakes, secretFiles) = ([String: WrittenSetting](), [String](), [String]())
    for setting in Self.declared {
      do {
        for source in sources where written[setting.key] == nil {
          guard let found = try source.find(setting) else { continue }
          written[setting.key] = found.written
          if let path = found.file { secretFiles.append(path) }
        }
      } catch { mistakes.append("\(error)") }
      if written[setting.key] == nil, let variable = setting.customaryVariable, let text = environment[variable] {
        written[setting.key] = WrittenSetting(text, from: variable)
      }
    }
    let names = try file.map { try SettingNames.examine(file: $0) }
    try self.init(written, mistakes: mistakes + (names?.mistakes ?? []))
    warnings = names?.warnings ?? []
    self.secretFiles = secretFiles
    settings.sources = SettingsSources(
      files: [file].compactMap(\.self) + secretFiles, ignoredNames: warnings,
      ignoredVariables: SettingNames.ignored(in: environment.keys))
  }

  /// One line per setting: key, value, source and meaning, without secrets.
  var listing: String {
    list.map { "\($0.key) = \($0.shown)\n    \($0.help) (from \($0.source ?? "default"))" }.joined(separator: "\n")
  }

  /// A value as text, for any type in the file.
  private static func text(_ key: String, in reader: ConfigReader) -> String? {
    let key = ConfigKey(key)
    return reader.string(forKey: key) ?? reader.int(forKey: key).map(String.init)
      ?? reader.bool(forKey: key).map(String.init)
  }
}

extension ServerSettings {
  /// Settings with which other machines can reach the server, unless an address is given. Creates secret keys and a token where none are
  /// given.
  fileprivate func openedToLocalNetwork(_ written: [String: WrittenSetting]) -> [String: WrittenSetting] {
    var opened: [String: String] = [:]
    if written["host"] == nil { opened["host"] = "0.0.0.0" }
    if developmentToken.isEmpty { opened["dev.token"] = randomWord() }
    if keys.isEmpty {
      opened["keys"] = EditionName.allCases.map { "\(randomWord())=\($0.rawValue)" }.joined(separator: ",")
    }
    return opened.mapValues { WrittenSetting($0, from: "--lan") }
  }
}

/// A word of 20 letters and digits that cannot be confused with others: 100 random bits.
private func randomWord() -> String {
  let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
  return String((0..<20).map { _ in letters[Int.random(in: letters.indices)] })
}
