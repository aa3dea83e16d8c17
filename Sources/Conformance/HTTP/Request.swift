import MadangAPI
import NIOHTTP1

/// What a rule sent, for the evidence.
struct Request: Sendable {
  let method: HTTPMethod
  let url: String
  let headers: [(String, String)]
  let body: RequestBody
  /// Packets that were sent by the WebSocket which the request opened.
  var packets: [String]?
  /// Its place among the requests of the rule.
  var number = 0
  /// Whether Authorization is exactly an access token that the rule was given.
  var hasAccessToken = false

  /// Method and target without credentials, as evidence names a call.
  var call: String {
    let target = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
    let path =
      "/" + (target.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? "")
    return "\(method) \(path.replacing(/(Authorization|RefreshToken)=[^&]+/) { "\($0.output.1)=<token>" })"
  }

  /// Longer bodies are named, not shown.
  private static let maxBody = 1000

  /// A shell command that sends the same, with secrets as variables.
  func command(_ secrets: [Secret]) -> String {
    func word(_ text: String) -> String { ShellWord.quoted(text, secrets) }
    let fields = headers.map { name, value in "-H " + word("\(name): \(value)") }
    if let packets {
      let socket = ([word(url.replacing(/^http/, with: "ws"))] + fields).joined(separator: " ")
      return "(printf '%s\\n' \(packets.map(word).joined(separator: " ")); sleep 9) | websocat \(socket)"
    }
    var words = ["curl -i"]
    // With a body curl sends POST by itself, but the method is worth reading.
    if method == .HEAD { words.append("--head") } else if method != .GET { words.append("-X \(method)") }
    words += [word(url)] + fields + content(word)
    return words.joined(separator: " ")
  }

  private func content(_ word: (String) -> String) -> [String] {
    if case .multipart(let parts) = body, let words = Self.form(parts, word) { return words }
    guard let bytes = body.bytes else { return [] }
    let type = body.type.map { word("Content-Type: \($0)") } ?? "Content-Type:"
    guard bytes.count <= Self.maxBody, let text = String(validating: bytes, as: UTF8.self) else {
      return ["-H \(type)", "--data-binary @BODY # \(bytes.count) bytes"]
    }
    return ["-H \(type)", "--data-raw \(word(text))"]
  }

  /// The parts of a form, or nil if one has more than a name and a type.
  private static func form(_ parts: [RequestBody.Part], _ word: (String) -> String) -> [String]? {
    var words: [String] = []
    for part in parts {
      if let file = part.file {
        words.append("-F " + word("\(part.name)=@FILE;filename=\"\(file.name)\";type=\(file.type)"))
      } else {
        guard part.extra.isEmpty, part.bytes.count <= maxBody else { return nil }
        words.append("--form-string " + word("\(part.name)=\(String(decoding: part.bytes, as: UTF8.self))"))
      }
    }
    return words
  }
}

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
