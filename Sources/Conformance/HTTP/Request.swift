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
