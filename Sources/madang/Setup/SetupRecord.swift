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
  /// Nil in records of earlier versions, whose setup has ended.
  private(set) var state: State?

  /// Words of the same length: see ``OpenSetupRecord``.
  enum State: String, Codable {
    /// Something may be missing: the next run does all that follows a change.
    case begun
    case ended
  }

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

  mutating func begin() { state = .begun }
  mutating func end() { state = .ended }

  mutating func add(_ change: SetupPlan.Change) {
    written[change.key] =
      SetupPlan.secrets.contains(change.key) && change.new != nil ? Self.hidden : change.new ?? .null
  }

  mutating func add(made path: String) { if !made.contains(path) { made.append(path) } }
  mutating func add(enabled unit: String) { if !enabled.contains(unit) { enabled.append(unit) } }

  /// Whether a present value is the one that setup wrote.
  func wrote(_ key: String, _ value: JSONValue?) -> Bool {
    guard let own = written[key] else { return false }
    return own == Self.hidden || own.settingText == value?.settingText
  }
}
