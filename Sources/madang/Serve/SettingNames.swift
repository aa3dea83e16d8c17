import Foundation
import MadangCore
import MadangOperations

/// Finds unknown setting names. Without this check, a misspelt name would silently leave the default in place.
enum SettingNames {
  /// The structure of a settings file, without its values.
  private enum Shape: Decodable {
    case object([String: Shape])
    case list
    case value

    init(from decoder: any Decoder) throws {
      if let object = try? decoder.singleValueContainer().decode([String: Shape].self) {
        self = .object(object)
      } else {
        self = (try? decoder.unkeyedContainer()) == nil ? .value : .list
      }
    }

    func leaves(_ key: String = "") -> [(key: String, isList: Bool)] {
      switch self {
      case .value: [(key, false)]
      case .list: [(key, true)]
      case .object(let members): members.flatMap { $1.leaves(key.isEmpty ? $0 : "\(key).\($0)") }
      }
    }
  }

  /// Variables of the command line and of the tests.
  private static let otherVariables = [
    "MADANG_CA_FILE", "MADANG_DEV_URL", "MADANG_KEY", "MADANG_PRICE", "MADANG_PROFILE", "MADANG_PROGRAM",
    "MADANG_SERVER", "MADANG_TEST_",
  ]

  /// Checks the names in a settings file, which is JSON.
  /// - Returns: Mistakes, with which a server does not start, and warnings about the settings of earlier versions that it ignores.
  static func examine(file path: String) throws -> (mistakes: [String], warnings: [String]) {
    let file = try Data(contentsOf: URL(filePath: path))
    let shape = try JSONDecoder().decode(Shape.self, from: file)
    let known = known
    let leaves = shape.leaves()
    var twice = RepeatedNames.find(in: Array(file))
    var seen: Set<String> = []
    for (key, _) in leaves where !seen.insert(key).inserted { twice.append(key) }
    let repeated = twice.map { key in
      let child = known.first { $0.hasPrefix(key + ".") && known.contains(key) }
      return "\(key) from \(path): it is there twice; write it once"
        + (child.map { ", and \"\($0)\" beside it" } ?? "")
    }
    let mistakes = leaves.sorted { $0.key < $1.key }.compactMap { key, isList -> String? in
      guard FormerSettings.ignoredInFiles[key] == nil else { return nil }
      guard known.contains(key) else { return "\(key) from \(path): \(FormerSettings.unknown(key, known))" }
      return isList ? "\(key) from \(path): write one text with commas, not a list" : nil
    }
    let warnings = seen.intersection(FormerSettings.ignoredInFiles.keys).sorted().map {
      "\($0) from \(path) is ignored: \(FormerSettings.unknown($0, known))"
    }
    return (repeated + mistakes, warnings)
  }

  /// Environment variables that look like settings but are not.
  static func ignored(in environment: some Sequence<String>) -> [String] {
    let known = known.map(variable)
    return environment.sorted().compactMap { name in
      guard name.hasPrefix("MADANG_"), !known.contains(name), !otherVariables.contains(where: name.hasPrefix) else {
        return nil
      }
      return "\(name) is ignored: \(FormerSettings.unknown(name, known, FormerSettings.cures[setting(name)]))"
    }
  }

  /// All keys, and the keys for files of secrets.
  private static var known: [String] {
    LoadedSettings.declared.flatMap { $0.isSecret ? [$0.key, SecretFile.key($0.key)] : [$0.key] }
  }

  static func variable(_ key: String) -> String { "MADANG_" + key.uppercased().replacing(".", with: "_") }
  private static func setting(_ name: String) -> String { name.dropFirst(7).lowercased().replacing("_", with: ".") }
}
