import Foundation

/// The meaning of a line typed into a conversation.
enum TypedLine: Equatable {
  case nothing
  case say(String)
  case file(path: String)
  /// Send failed chats again, or give them up.
  case retry, discard
  case help
  case quit
  case unknown(String)

  static let advice = "/file PATH, /retry and /discard what failed, /quit, // for a text that begins with /"

  /// - Parameter home: Replaces a leading `~`.
  init(_ line: String, home: String) {
    let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.hasPrefix("/") else {
      self = text.isEmpty ? .nothing : .say(line)
      return
    }
    if text.hasPrefix("//") {
      self = .say(String(text.dropFirst()))
      return
    }
    let words = text.dropFirst().split(separator: " ", maxSplits: 1)
    let rest = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : ""
    switch words.first {
    case "quit": self = .quit
    case "retry": self = .retry
    case "discard": self = .discard
    case "help": self = .help
    case "file" where !rest.isEmpty: self = .file(path: Self.path(rest, home: home))
    case "file": self = .help
    default: self = .unknown(String(words.first ?? ""))
    }
  }

  /// Terminals quote a path that is dropped on them.
  private static func path(_ text: String, home: String) -> String {
    var path = text
    for quote in ["'", "\""] where path.count > 1 && path.hasPrefix(quote) && path.hasSuffix(quote) {
      path = String(path.dropFirst().dropLast())
    }
    return path.hasPrefix("~/") ? home + path.dropFirst() : path
  }
}
