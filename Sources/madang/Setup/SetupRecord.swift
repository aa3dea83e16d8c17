import Foundation
import MadangDevelopment

/// What setup did to this machine, so that it can be taken back: `/etc/madang/setup.json`. It has no secrets.
struct SetupRecord: Codable, Equatable {
  /// The form of this file.
  var form = 1
  var name: String
  /// The settings that setup wrote, with their values; null for one that it removed.
  var written: [String: JSONValue] = [:]
  /// Whether there was a settings file before.
  var hadSettings: Bool
  /// Files and directories that setup made.
  var made: [String] = []
  /// Units that setup enabled.
  var enabled: [String] = []

  /// The value of a secret in ``written``.
  private static let hidden = JSONValue.text("***")

  init(name: String, hadSettings: Bool) { (self.name, self.hadSettings) = (name, hadSettings) }

  /// Nil if setup has changed nothing here.
  init?(at path: String) throws {
    guard let bytes = FileManager.default.contents(atPath: path) else {
      guard !FileManager.default.fileExists(atPath: path) else { throw Failure("\(path) cannot be read") }
      return nil
    }
    do { self = try JSONDecoder().decode(Self.self, from: bytes) } catch {
      throw Failure("\(path) is not a record of 'madang setup': move it away, and run setup again")
    }
  }

  var bytes: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self) + Data("\n".utf8)
    }
  }

  mutating func add(_ change: SetupPlan.Change) {
    written[change.key] =
      SetupPlan.secrets.contains(change.key) && change.new != nil ? Self.hidden : change.new ?? .null
  }

  /// Whether a present value is the one that setup wrote.
  func wrote(_ key: String, _ value: JSONValue?) -> Bool {
    guard let own = written[key] else { return false }
    return own == Self.hidden || own.settingText == value?.settingText
  }
}
