/// A text that no evidence may hold.
struct Secret: Sendable {
  let value: String
  /// The shell variable that stands for it.
  let variable: String
}

/// Words of a shell command.
enum ShellWord {
  private enum Piece {
    case text(Substring)
    case variable(String)
  }

  /// The text as one word of bash or zsh, with a variable in place of each secret.
  static func quoted(_ text: String, _ secrets: [Secret]) -> String {
    var pieces = [Piece.text(text[...])]
    // Longest first: a secret may hold another one.
    for secret in secrets.sorted(by: { $0.value.count > $1.value.count }) where !secret.value.isEmpty {
      pieces = pieces.flatMap { piece in
        guard case .text(let text) = piece else { return [piece] }
        let parts = text.split(separator: secret.value, omittingEmptySubsequences: false)
        return parts.enumerated().flatMap { index, part in
          (index == 0 ? [] : [Piece.variable(secret.variable)]) + (part.isEmpty ? [] : [Piece.text(part)])
        }
      }
    }
    if pieces.count == 1, case .text(let text) = pieces[0] { return literal(text) }
    let isPlain = pieces.allSatisfy { piece in
      if case .text(let text) = piece {
        text.utf8.allSatisfy { isPrintable($0) && !#""$`\!"#.utf8.contains($0) }
      } else {
        true
      }
    }
    guard isPlain else {
      return pieces.map { piece in
        switch piece {
        case .text(let text): literal(text)
        case .variable(let name): "\"$\(name)\""
        }
      }.joined()
    }
    let words = pieces.map { piece in
      switch piece {
      case .text(let text): String(text)
      case .variable(let name): "${\(name)}"
      }
    }.joined()
    return "\"\(words)\""
  }

  private static func literal(_ text: some StringProtocol) -> String {
    guard text.utf8.contains(where: { !isPrintable($0) }) else {
      return "'" + String(text).replacing("'", with: #"'\''"#) + "'"
    }
    let escaped = text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\n": #"\n"#
      case "\r": #"\r"#
      case "\t": #"\t"#
      case "'", "\\": "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        #"\x"# + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
      default: String(Character(scalar))
      }
    }
    return "$'" + escaped.joined() + "'"
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F }
}
