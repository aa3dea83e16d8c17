import Configuration
import Foundation
import Logging
import MadangAPI
import MadangServer
import SystemPackage

/// The settings as they are read: command line, then environment (`MADANG_...`), then file, then defaults.
struct LoadedSettings: Sendable {
  var settings = ServerSettings()
  var logLevel = Logger.Level.info
  var logFormat = LogFormat.text
  /// Bytes of lines that may wait to be written.
  var logBuffer = 1 << 20
  /// Whether development mode has what people who test clients need.
  var hasTestKit = true
  var isForLocalNetwork = false
  /// TLS, as long as it may be incomplete.
  var certificateFile: String {
    get { tls.certificateFile }
    set { tls.certificateFile = newValue }
  }
  var keyFile: String {
    get { tls.keyFile }
    set { tls.keyFile = newValue }
  }
  var redirectPort: Int? {
    get { tls.redirectPort }
    set { tls.redirectPort = newValue }
  }
  private var tls: TLSSettings {
    get { settings.tls ?? TLSSettings() }
    set { settings.tls = newValue.isUnused ? nil : newValue }
  }
  private var sources: [String: String] = [:]
  /// Where its value comes from.
  func source(of setting: Setting) -> String { sources[setting.key] ?? "default" }

  /// Why a file cannot be read as JSON.
  private static func words(_ error: any Error, _ file: String) -> String {
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory), isDirectory.boolValue {
      return "it is a directory"
    }
    if access(file, R_OK) != 0 { return String(cString: strerror(errno)) }
    return (error as NSError).userInfo["NSDebugDescription"] as? String ?? "\(error)"
  }

  /// Reads all settings. Throws one ``SetupError`` that names every mistake, its source and a cure.
  ///
  /// - Parameter environment: Variables, `MADANG_...` and the customary ones of settings.
  init(
    flags: [String: String], file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) async throws {
    var readers: [(source: String, text: (String) -> String?)] = [
      ("the command line", { flags[$0] }),
      ("the environment", { environment[SettingNames.variable($0)] }),
    ]
    if let file {
      do {
        let reader = ConfigReader(provider: try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
        readers.append((file, { Self.text($0, in: reader) }))
      } catch {
        throw SetupError(
          "--config: \(file) cannot be read: \(Self.words(error, file)); name the file that the server is started with, and "
            + "see that it is JSON that you may read")
      }
    }
    var mistakes = try file.map { try SettingNames.mistakes(inFile: $0) } ?? []
    for setting in Setting.all {
      var found: (source: String, text: String)?
      for (source, text) in readers where found == nil {
        found = text(setting.key).map { (source, $0) }
      }
      if found == nil, let variable = setting.customaryVariable {
        found = environment[variable].map { (variable, $0) }
      }
      guard let (source, text) = found else { continue }
      sources[setting.key] = source
      if let control = text.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
        let code = String(control.value, radix: 16, uppercase: true)
        let name =
          ["D": "a carriage return, as lines of Windows end with", "A": "a line feed"][code] ?? "a control character"
        mistakes.append(
          "\(setting.key) from \(source): has \(name) (U+\(String(repeating: "0", count: 4 - code.count))\(code)), which no setting may have; "
            + "remove it there")
        continue
      }
      do { try setting.read(text, &self) } catch {
        mistakes.append(
          "\(setting.key) from \(source): '\(setting.isSecret ? "***" : text)' is not valid; \(error.cure)")
      }
    }
    if isForLocalNetwork {
      if !settings.isDevelopment { mistakes.append("--lan: is for development mode; add --dev") }
      openToLocalNetwork()
    }
    mistakes += settings.problems()
    for setting in Setting.all where sources[setting.key] != nil {
      settings.given[setting.key] = setting.isSecret ? "***" : setting.show(self)
    }
    guard mistakes.isEmpty else { throw SetupError(mistakes.joined(separator: "\n")) }
  }

  /// Listens to other machines, unless an address is given. Keys and a token that nobody else knows are made where none are given.
  private mutating func openToLocalNetwork() {
    if sources["host"] == nil { settings.host = "0.0.0.0" }
    if settings.developmentToken.isEmpty { settings.developmentToken = randomWord() }
    if settings.keys.isEmpty {
      settings.keys = Dictionary(uniqueKeysWithValues: EditionName.allCases.map { (randomWord(), $0) })
    }
  }

  /// One line per setting: key, value, source and meaning; secrets hidden.
  var listing: String {
    Setting.all.map { setting in
      "\(setting.key) = \(setting.shown(self))\n    \(setting.help) (from \(source(of: setting)))"
    }.joined(separator: "\n")
  }

  /// A value as text, whatever its type in the file.
  private static func text(_ key: String, in reader: ConfigReader) -> String? {
    let key = ConfigKey(key)
    return reader.string(forKey: key) ?? reader.int(forKey: key).map(String.init)
      ?? reader.bool(forKey: key).map(String.init)
  }
}

/// 20 letters and digits that are not taken for others: 100 bits by chance.
private func randomWord() -> String {
  let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
  return String((0..<20).map { _ in letters[Int.random(in: letters.indices)] })
}
