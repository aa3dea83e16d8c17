import Foundation

/// Finds names that occur twice in a JSON object. Decoders silently use one of the values.
enum RepeatedNames {
  /// An open object or array; an array has no names.
  private struct Scope {
    var names: Set<String> = []
    /// The name whose value is being read.
    var name = ""
  }

  /// Each name with the names around it, for example `mail.name`.
  /// - Parameter json: Must be valid JSON.
  static func find(in json: [UInt8]) -> [String] {
    var (found, scopes, text) = ([String](), [Scope](), "")
    var index = 0
    while index < json.count {
      switch json[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): scopes.append(Scope())
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = scopes.popLast()
      case UInt8(ascii: "\""):
        let end = endOfString(json, after: index)
        text = decoded(json[index...end])
        index = end
      case UInt8(ascii: ":"):
        guard var scope = scopes.popLast() else { break }
        scope.name = text
        let isNew = scope.names.insert(text).inserted
        scopes.append(scope)
        if !isNew { found.append(scopes.map(\.name).joined(separator: ".")) }
      default: break
      }
      index += 1
    }
    return found
  }

  private static func endOfString(_ json: [UInt8], after start: Int) -> Int {
    var index = start + 1
    while index < json.count - 1, json[index] != UInt8(ascii: "\"") {
      index += json[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, json.count - 1)
  }

  private static func decoded(_ literal: ArraySlice<UInt8>) -> String {
    guard literal.contains(UInt8(ascii: "\\")) else {
      return String(decoding: literal.dropFirst().dropLast(), as: UTF8.self)
    }
    return (try? JSONDecoder().decode(String.self, from: Data(literal))) ?? ""
  }
}
