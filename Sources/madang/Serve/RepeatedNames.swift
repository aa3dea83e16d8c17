import Foundation

/// Names that an object of a JSON text has twice. Decoders take one of the values without a word.
enum RepeatedNames {
  /// Of an object, or an array, in which no string is followed by a colon.
  private struct Scope {
    var names: Set<String> = []
    /// Whose value is being read.
    var name = ""
  }

  /// Each with the names around it, like `mail.name`.
  /// - Parameter json: A valid text.
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
