import Foundation
import MadangCore
import MadangDevelopment

/// A settings file that is edited: what is not edited stays, nested or with dots as it was.
struct SettingsFile {
  private(set) var members: [String: JSONValue] = [:]

  init() {}

  /// Throws `DecodingError` unless the bytes are a JSON object.
  init(_ bytes: Data) throws { members = try JSONDecoder().decode([String: JSONValue].self, from: bytes) }

  var isEmpty: Bool { members.isEmpty }

  /// The value of a setting by its full name; nil if it is absent. A new one is written with dots.
  subscript(key: String) -> JSONValue? {
    get { Self.value(of: key[...], in: members) }
    set {
      guard !Self.replace(key[...], by: newValue, in: &members) else { return }
      members[key] = newValue
    }
  }

  /// The value of a setting as settings are written; nil if it is absent.
  func text(_ key: String) -> String? { self[key].flatMap(\.settingText) }

  /// Every setting of the file with its text.
  func written(from source: String) -> [String: WrittenSetting] {
    settings.compactMapValues { $0.settingText.map { WrittenSetting($0, from: source) } }
  }

  /// Every value of the file by its full name.
  var settings: [String: JSONValue] {
    func settings(_ members: [String: JSONValue], _ prefix: String) -> [(String, JSONValue)] {
      members.flatMap { name, value in
        if case .object(let inner) = value { settings(inner, prefix + name + ".") } else { [(prefix + name, value)] }
      }
    }
    return Dictionary(settings(members, "")) { $1 }
  }

  /// The file with sorted names.
  var bytes: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(members) + Data("\n".utf8)
    }
  }

  private static func value(of key: Substring, in members: [String: JSONValue]) -> JSONValue? {
    if let value = members[String(key)], !value.isObject { return value }
    for (name, member) in members {
      guard let rest = rest(of: key, after: name), case .object(let inner) = member else { continue }
      if let value = value(of: rest, in: inner) { return value }
    }
    return nil
  }

  /// Replaces or removes an existing value, with objects that become empty; false if there is none.
  private static func replace(_ key: Substring, by value: JSONValue?, in members: inout [String: JSONValue]) -> Bool {
    if let former = members[String(key)], !former.isObject {
      members[String(key)] = value
      return true
    }
    for (name, member) in members {
      guard let rest = rest(of: key, after: name), case .object(var inner) = member,
        replace(rest, by: value, in: &inner)
      else { continue }
      members[name] = inner.isEmpty ? nil : .object(inner)
      return true
    }
    return false
  }

  private static func rest(of key: Substring, after name: String) -> Substring? {
    key.hasPrefix(name + ".") ? key.dropFirst(name.count + 1) : nil
  }
}

extension JSONValue {
  fileprivate var isObject: Bool { if case .object = self { true } else { false } }

  /// The value as settings are written; nil for containers and null.
  var settingText: String? {
    switch self {
    case .text(let text): text
    case .flag(let flag): "\(flag)"
    case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
    case .null, .list, .object: nil
    }
  }
}
